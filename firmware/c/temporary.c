/* A temporary file goes with the program that has made it: the program runs itself, and looks for what is left. Exit code 0 if all is as it should be. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <tos.h>
#include <unistd.h>

/* In the filestore, with the arguments of the one that is run. */
static const char program[] = "temporary", child[] = "child";
enum { LEFT = 7 };

/* The name of a process's first temporary file. */
static int is_there(int process)
{
    char name[FILENAME_MAX];
    struct stat found;
    snprintf(name, sizeof name, "tmp~%u", process * 10000u + 1);
    return stat(name, &found) == 0;
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], child) == 0) {
        FILE *file = tmpfile();
        fputs("temporary", file);
        return is_there(getpid()) ? LEFT : 1;
    }
    int code = 0, process = invoke(program, child, sizeof child, processor());
    int is_right = process > 0 && await_end(process, &code) == 0 && code == LEFT && !is_there(process);
    printf("temporary files go with their program: %s\n", is_right ? "right" : "WRONG");
    return !is_right;
}
