/* SPDX-License-Identifier: GPL-3.0-or-later
 * The least that a large payload costs: read it all, send it to the socket that the argument names. */
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static char payload[2 << 20];

int main(int argc, char **argv) {
    size_t length = 0;
    ssize_t part;
    while ((part = read(0, payload + length, sizeof payload - length)) > 0) length += (size_t)part;
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    strncpy(address.sun_path, argv[argc - 1], sizeof address.sun_path - 1);
    int to = socket(AF_UNIX, SOCK_STREAM, 0);
    if (connect(to, (struct sockaddr *)&address, sizeof address) != 0) return 1;
    for (size_t sent = 0; sent < length; sent += (size_t)part) {
        part = write(to, payload + sent, length - sent);
        if (part <= 0) return 1;
    }
    return 0;
}
