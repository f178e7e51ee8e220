/* arcd doctor: a checklist of the machine. */
#include "driver/doctor.h"
#include "driver/main/cli.h"

struct args {
    bool json;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct args *args = state->input;
    (void)arg;
    if (key != 'j')
        return ARGP_ERR_UNKNOWN;
    args->json = true;
    return 0;
}

static const char *const grade_names[] = {"good", "note", "bad"};

static void print_json(const struct driver_doctor_finding *findings, size_t n)
{
    json_t *list = json_array();
    for (size_t i = 0; i < n; i++)
        json_array_append_new(list, json_pack("{s:s,s:s,s:s,s:s,s:s}", "grade",
                                              grade_names[findings[i].grade], "topic",
                                              findings[i].topic, "found", findings[i].found, "cost",
                                              findings[i].cost, "fix", findings[i].fix));
    json_t *all = json_pack("{s:o}", "findings", list);
    json_dumpf(all, stdout, JSON_INDENT(2));
    printf("\n");
    json_decref(all);
}

static void print_text(const struct driver_doctor_finding *findings, size_t n)
{
    static const char *const variants[] = {"success", "warning", "error"};
    bool color = cli_color(stdout);
    int bad = 0, notes = 0;
    for (size_t i = 0; i < n; i++) {
        const struct driver_doctor_finding *f = &findings[i];
        const char *on = cli_variant_color(variants[f->grade], color);
        printf("%s%-4s%s  %-22s %s\n", on, grade_names[f->grade], *on ? CLI_RESET : "", f->topic,
               f->found);
        if (f->cost[0] != '\0')
            printf("        costs: %s\n", f->cost);
        if (f->fix[0] != '\0')
            printf("        fix:   %s\n", f->fix);
        bad += f->grade == DRIVER_DOCTOR_BAD;
        notes += f->grade == DRIVER_DOCTOR_NOTE;
    }
    printf("\n%d bad, %d to note, %d good\n", bad, notes, (int)n - bad - notes);
}

int cli_verb_doctor(int argc, char **argv)
{
    static const struct argp_option options[] = {
        {"json", 'j', NULL, 0, "Print the findings as JSON", 0},
        {0},
    };
    const struct argp argp = {.options = options,
                              .parser = parse,
                              .doc = "Look at this machine and say how fit it is for real-time "
                                     "control: for each finding what it costs a "
                                     "control loop and how to change it. Changes nothing."};
    struct args args = {0};
    argp_parse(&argp, argc, argv, 0, NULL, &args);
    struct driver_doctor_process process;
    struct driver_doctor_finding findings[DRIVER_DOCTOR_MAX_FINDINGS];
    driver_doctor_probe(&process);
    size_t n = driver_doctor_examine("", &process, findings);
    if (args.json)
        print_json(findings, n);
    else
        print_text(findings, n);
    return 0;
}
