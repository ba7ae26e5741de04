/* Rights in C: the host's program is an operator. What it starts with invoke is none and can neither end another's process nor make an operator; what
   it starts with invoke_operator can do both. Exit code 0 if all is as it should be. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tos.h>

#define NAME "operators"

static int wrong;

static void check(const char *what, int is_right)
{
    printf("%s: %s\n", what, is_right ? "right" : "WRONG");
    wrong += !is_right;
}

static int code_of(int process)
{
    int code = -1;
    return process < 0 || await_end(process, &code) < 0 ? -1 : code;
}

/* Arguments: a word, and a process. */
static int arguments(char *buffer, const char *word, int process)
{
    int bytes = sprintf(buffer, "%s", word) + 1;
    return bytes + sprintf(buffer + bytes, "%d", process) + 1;
}

/* Tries to end a process that it has not invoked, and to start an operator that does. */
static int attack(int victim)
{
    char buffer[24];
    check("may not end another's process", kill(victim) == -TOS_NO_PERMISSION);
    check("may not make an operator",
          invoke_operator(NAME, buffer, arguments(buffer, "operate", victim), -1) == -TOS_NO_PERMISSION);
    /* What it may start is no operator either. */
    int own = invoke(NAME, "block", 6, -1);
    check("may end its own", own > 0 && kill(own) == 0 && code_of(own) == HALT);
    return wrong;
}

/* Ends a process that it has not invoked, and starts an operator that ends another. */
static int operate(int victim)
{
    char buffer[24];
    check("may end another's process", kill(victim) == 0);
    int own = invoke(NAME, "block", 6, -1);
    int next = invoke_operator(NAME, buffer, arguments(buffer, "end", own), processor() + 1);
    check("may make an operator", code_of(next) == 0 && code_of(own) == HALT);
    return wrong;
}

int main(int argc, char **argv)
{
    int other = argc > 2 ? atoi(argv[2]) : 0;
    if (argc > 1 && strcmp(argv[1], "block") == 0)
        return receive(1, NULL, 0);
    if (argc > 1 && strcmp(argv[1], "attack") == 0)
        return attack(other);
    if (argc > 1 && strcmp(argv[1], "operate") == 0)
        return operate(other);
    if (argc > 1)
        return kill(other) != 0;

    char buffer[24];
    int victim = invoke(NAME, "block", 6, -1);
    check("a process", victim > 0);
    /* Here, elsewhere, and on the master. */
    for (int on = -1; on < 3; on++) {
        int place = on < 0 ? -1 : on == 0 ? 0 : processor() + on;
        check("a process without the right", code_of(invoke(NAME, buffer, arguments(buffer, "attack", victim), place)) == 0);
    }
    check("a process with the right",
          code_of(invoke_operator(NAME, buffer, arguments(buffer, "operate", victim), processor() + 1)) == 0);
    check("it has ended the other", code_of(victim) == HALT);
    check("a program that is not there", invoke_operator("nothing", "", 0, -1) == -TOS_NO_FILE);
    check("a processor that is not there", invoke_operator(NAME, "", 0, 99) == -TOS_BAD_PROCESSOR);
    printf("operators: %d wrong\n", wrong);
    return wrong;
}
