/* The main of a fuzz target where libFuzzer is not: feeds it each file of the folders given, once,
 * in name order. A crash or an abort is the failure; an empty corpus is one too, because then
 * nothing was tested. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int replay_file(const char *path)
{
    FILE *f = fopen(path, "rb");
    if (f == NULL) {
        perror(path);
        return -1;
    }
    uint8_t *data = NULL;
    size_t size = 0;
    size_t room = 0;
    for (;;) {
        if (size == room) {
            room = room == 0 ? 4096 : room * 2;
            uint8_t *grown = realloc(data, room);
            if (grown == NULL)
                abort();
            data = grown;
        }
        size_t got = fread(data + size, 1, room - size, f);
        if (got == 0)
            break;
        size += got;
    }
    fclose(f);
    /* An exact block, so that a read one byte past the input is seen by AddressSanitizer. */
    uint8_t *exact = realloc(data, size > 0 ? size : 1);
    if (exact == NULL)
        abort();
    LLVMFuzzerTestOneInput(exact, size);
    free(exact);
    return 0;
}

static int replay_folder(const char *folder, size_t *n_files)
{
    struct dirent **entries = NULL;
    int n = scandir(folder, &entries, NULL, alphasort);
    if (n < 0) {
        perror(folder);
        return -1;
    }
    int result = 0;
    for (int i = 0; i < n; i++) {
        char path[1024];
        snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name);
        struct stat st;
        if (stat(path, &st) == 0 && S_ISREG(st.st_mode)) {
            if (replay_file(path) != 0)
                result = -1;
            ++*n_files;
        }
        free(entries[i]);
    }
    free(entries);
    return result;
}

int main(int argc, char **argv)
{
    size_t n_files = 0;
    int result = 0;
    for (int i = 1; i < argc; i++)
        if (replay_folder(argv[i], &n_files) != 0)
            result = 1;
    printf("%zu inputs\n", n_files);
    return n_files > 0 ? result : 1;
}
