/* Fills the memory of every processor of a machine with the small kernel: SIZE bytes of data, of which each makes its own copy when it first hears of
   the process. Then a message goes to each. Exit code 0 if all have come. */
#include <stdint.h>
#include <tos.h>

void exit(int code) __attribute__((noreturn));

static volatile uint8_t data[SIZE];

static void child(void)
{
    int word = 0, bytes = receive(processor(), &word, sizeof word);
    exit(bytes != sizeof word || word != 42 || data[SIZE - 1] != 0);
}

int main(void)
{
    const int word = 42;
    int wrong = 0;
    for (int on = 0; on < processors(); on++) {
        if (on == processor())
            continue;
        wrong += tos_create(2 + on, 1, on, child, stack_for(1)) < 0;
        wrong += send_block(on, &word, sizeof word) != sizeof word;
        wrong += wait();
    }
    return wrong;
}
