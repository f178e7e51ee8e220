/* The control interface over its real socket, in a folder of its own. */
#include "driver/control.h"
#include "tests/support/test.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

static char dir[] = "/tmp/arcd-control-XXXXXX";
static char path[64];

struct counting {
    _Atomic int requests, ended;
};

static json_t *echo(void *ctx, struct driver_control_session *session, const json_t *request)
{
    struct counting *counting = ctx;
    atomic_fetch_add(&counting->requests, 1);
    const char *cmd = json_string_value(json_object_get(request, "cmd"));
    if (cmd != NULL && strcmp(cmd, "fail") == 0)
        return driver_control_error("no such %s", "thing");
    if (cmd != NULL && strcmp(cmd, "big") == 0) {
        json_t *reply = driver_control_ok();
        json_t *list = json_array();
        for (int i = 0; i < 50000; i++)
            json_array_append_new(list, json_integer(i));
        json_object_set_new(reply, "list", list);
        return reply;
    }
    json_t *reply = driver_control_ok();
    json_object_set_new(reply, "session", json_integer((json_int_t)session->id));
    json_object_set(reply, "echo", json_object_get(request, "text"));
    return reply;
}

static void count_ended(void *ctx, struct driver_control_session *session)
{
    (void)session;
    struct counting *counting = ctx;
    atomic_fetch_add(&counting->ended, 1);
}

static struct driver_control_server *serve(struct counting *counting)
{
    struct driver_control_handler handler = {counting, echo, count_ended};
    struct driver_control_server *server = NULL;
    assert_int_equal(driver_control_server_start(path, &handler, &server, NULL), ARCD_OK);
    return server;
}

static struct driver_control_client *client(void)
{
    struct driver_control_client *c = NULL;
    assert_int_equal(driver_control_connect(path, &c, NULL), ARCD_OK);
    return c;
}

static void a_request_gets_its_reply_and_a_session_ends_once(void **state)
{
    (void)state;
    struct counting counting = {0};
    struct driver_control_server *server = serve(&counting);
    struct driver_control_client *c = client();
    json_t *reply;
    for (int i = 0; i < 3; i++) {
        assert_int_equal(
            driver_control_call(c, json_pack("{s:s}", "text", "höhe"), -1, &reply, NULL), ARCD_OK);
        assert_string_equal(json_string_value(json_object_get(reply, "echo")), "höhe");
        assert_int_equal(json_integer_value(json_object_get(reply, "session")), 1);
        json_decref(reply);
    }
    driver_control_disconnect(c);
    driver_control_server_stop(server);
    assert_int_equal(counting.requests, 3);
    assert_int_equal(counting.ended, 1);
    assert_int_not_equal(access(path, F_OK), 0);
}

static void a_refusal_is_an_error_with_its_text(void **state)
{
    (void)state;
    struct counting counting = {0};
    struct driver_control_server *server = serve(&counting);
    struct driver_control_client *c = client();
    json_t *reply;
    struct arcd_errinfo why;
    assert_int_equal(driver_control_call(c, json_pack("{s:s}", "cmd", "fail"), -1, &reply, &why),
                     ARCD_ERR_INVALID);
    assert_string_equal(why.text, "no such thing");
    json_decref(reply);
    driver_control_disconnect(c);
    driver_control_server_stop(server);
}

static void a_reply_of_many_packets_arrives_whole(void **state)
{
    (void)state;
    struct counting counting = {0};
    struct driver_control_server *server = serve(&counting);
    struct driver_control_client *c = client();
    json_t *reply;
    assert_int_equal(driver_control_call(c, json_pack("{s:s}", "cmd", "big"), -1, &reply, NULL),
                     ARCD_OK);
    assert_int_equal(json_array_size(json_object_get(reply, "list")), 50000);
    json_decref(reply);
    driver_control_disconnect(c);
    driver_control_server_stop(server);
}

/* What a careless or hostile client may send: each gets an answer, and the next client is served.
 */
static void nonsense_is_answered_and_harms_nobody(void **state)
{
    (void)state;
    static const char *const nonsense[] = {"{\n", "[1,2]\n", "\xff\xfe\n", "\n",
                                           "{\"a\":1,\"a\":2}\n"};
    struct counting counting = {0};
    struct driver_control_server *server = serve(&counting);
    for (size_t i = 0; i < ARCD_COUNT_OF(nonsense); i++) {
        struct sockaddr_un address = {.sun_family = AF_UNIX};
        snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
        int fd = socket(AF_UNIX, SOCK_STREAM, 0);
        assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof address), 0);
        size_t len = strlen(nonsense[i]);
        assert_int_equal(send(fd, nonsense[i], len, 0), (ssize_t)len);
        char answer[256] = {0};
        assert_true(recv(fd, answer, sizeof answer - 1, 0) > 0);
        assert_non_null(strstr(answer, "\"ok\":false"));
        close(fd);
    }
    struct driver_control_client *c = client();
    json_t *reply;
    assert_int_equal(driver_control_call(c, json_object(), -1, &reply, NULL), ARCD_OK);
    json_decref(reply);
    driver_control_disconnect(c);
    driver_control_server_stop(server);
    assert_int_equal(counting.requests, 1);
}

static void a_second_driver_is_told_that_the_place_is_taken(void **state)
{
    (void)state;
    struct counting counting = {0};
    struct driver_control_server *server = serve(&counting), *second = NULL;
    struct driver_control_handler handler = {&counting, echo, NULL};
    struct arcd_errinfo why;
    assert_int_equal(driver_control_server_start(path, &handler, &second, &why), ARCD_ERR_BUSY);
    assert_non_null(strstr(why.text, "--socket"));
    driver_control_server_stop(server);
}

static void a_socket_left_behind_by_a_crash_is_replaced(void **state)
{
    (void)state;
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof address), 0);
    close(fd); /* the file stays */
    struct counting counting = {0};
    struct driver_control_server *server = serve(&counting);
    driver_control_disconnect(client());
    driver_control_server_stop(server);
}

static void without_a_driver_the_error_says_how_to_start_one(void **state)
{
    (void)state;
    struct driver_control_client *c = NULL;
    struct arcd_errinfo why;
    assert_int_equal(driver_control_connect("/tmp/arcd-no-such-socket", &c, &why), ARCD_ERR_LINK);
    assert_non_null(strstr(why.text, "arcd run DIR"));
}

static void a_stop_does_not_wait_for_idle_clients(void **state)
{
    (void)state;
    struct counting counting = {0};
    struct driver_control_server *server = serve(&counting);
    struct driver_control_client *c = client();
    json_t *reply;
    assert_int_equal(driver_control_call(c, json_object(), -1, &reply, NULL), ARCD_OK);
    json_decref(reply);
    driver_control_server_stop(server);
    struct arcd_errinfo why;
    assert_int_equal(driver_control_call(c, json_object(), -1, &reply, &why), ARCD_ERR_LINK);
    driver_control_disconnect(c);
}

static int make_dir(void **state)
{
    (void)state;
    if (mkdtemp(dir) == NULL)
        return -1;
    snprintf(path, sizeof path, "%s/control", dir);
    return 0;
}

static int remove_dir(void **state)
{
    (void)state;
    return rmdir(dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_request_gets_its_reply_and_a_session_ends_once),
        cmocka_unit_test(a_refusal_is_an_error_with_its_text),
        cmocka_unit_test(a_reply_of_many_packets_arrives_whole),
        cmocka_unit_test(nonsense_is_answered_and_harms_nobody),
        cmocka_unit_test(a_second_driver_is_told_that_the_place_is_taken),
        cmocka_unit_test(a_socket_left_behind_by_a_crash_is_replaced),
        cmocka_unit_test(without_a_driver_the_error_says_how_to_start_one),
        cmocka_unit_test(a_stop_does_not_wait_for_idle_clients),
    };
    return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
