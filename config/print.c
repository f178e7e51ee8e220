/* The reference of the configuration, printed from the tables that check it. */
#include "config/reader.h"

#include "config/reader_priv.h"

#include <string.h>

enum { PREFIX_MAX = 128 };

/* A bar would end the cell. */
static void print_cell(FILE *out, const char *text)
{
    for (; *text != '\0'; text++) {
        if (*text == '|')
            fputc('\\', out);
        fputc(*text, out);
    }
}

static const char *type_text(const struct config_field *field)
{
    switch (field->kind) {
    case CONFIG_BOOL: return "bool";
    case CONFIG_INT: return "int";
    case CONFIG_NUM: return "number";
    case CONFIG_DURATION: return "duration";
    case CONFIG_STR:
    case CONFIG_ENUM: return "text";
    case CONFIG_INTS: return "array of int";
    case CONFIG_NUMS: return "array of number";
    case CONFIG_STRS: return "array of text";
    case CONFIG_OBJECT: return "object";
    case CONFIG_OBJECTS: return "array of objects";
    case CONFIG_CUSTOM: return field->shape != NULL ? field->shape : "any";
    }
    return "any";
}

static void print_default(FILE *out, const struct config_field *field)
{
    bool quoted = field->kind == CONFIG_STR || field->kind == CONFIG_ENUM;
    int64_t ns;
    if (field->required) {
        fputs("required", out);
    } else if (field->otherwise != NULL) {
        print_cell(out, field->otherwise);
    } else if (field->kind == CONFIG_OBJECT) {
        fputs("see below", out);
    } else if (field->fallback == NULL) {
        fputs("none", out);
    } else if (field->kind == CONFIG_DURATION && config_duration_parse(field->fallback, &ns)) {
        char text[CONFIG_NUMBER_TEXT];
        fputs(config_duration_text(ns, text), out);
    } else {
        fputs(quoted ? "`\"" : "`", out);
        print_cell(out, field->fallback);
        fputs(quoted ? "\"`" : "`", out);
    }
}

static void print_length(FILE *out, const struct config_field *field, const char *separator)
{
    const char *what = field->kind == CONFIG_STR ? "bytes" : "elements";
    if (field->max_len > 0 && field->min_len > 0)
        fprintf(out, "%s%u to %u %s", separator, field->min_len, field->max_len, what);
    else if (field->max_len > 0)
        fprintf(out, "%sat most %u %s", separator, field->max_len, what);
    else if (field->min_len > 1)
        fprintf(out, "%sat least %u %s", separator, field->min_len, what);
    else if (field->min_len == 1)
        fprintf(out, "%snot empty", separator);
}

static void print_limits(FILE *out, const struct config_field *field)
{
    char text[CONFIG_LIMITS_TEXT];
    const char *limits = config_limits_text(field, text);
    if (field->kind == CONFIG_ENUM) {
        for (const struct config_choice *c = field->choices; c->name != NULL; c++)
            fprintf(out, "%s`%s`", c == field->choices ? "" : ", ", c->name);
        return;
    }
    fputs(limits, out);
    print_length(out, field, limits[0] != '\0' ? "; " : "");
    if (limits[0] == '\0' && field->unit != NULL && field->kind != CONFIG_DURATION)
        print_cell(out, field->unit);
}

static void print_rows(FILE *out, const struct config_table *table, const char *prefix,
                       const char *except);

static void print_nested(FILE *out, const struct config_field *field, const char *prefix)
{
    bool nested = field->kind == CONFIG_OBJECT || field->kind == CONFIG_OBJECTS;
    if (!nested || field->table == NULL)
        return;
    char inner[PREFIX_MAX];
    snprintf(inner, sizeof(inner), "%s%s%s.", prefix, field->name,
             field->kind == CONFIG_OBJECTS ? "[]" : "");
    print_rows(out, field->table, inner, NULL);
}

/* `except`: the name of a field to leave out; NULL: none. */
static void print_rows(FILE *out, const struct config_table *table, const char *prefix,
                       const char *except)
{
    for (uint32_t i = 0; i < table->n; i++) {
        const struct config_field *field = &table->fields[i];
        if (except != NULL && strcmp(field->name, except) == 0)
            continue;
        fprintf(out, "| `%s%s`", prefix, field->name);
        if (field->alias != NULL)
            fprintf(out, ", `%s%s`", prefix, field->alias);
        fprintf(out, " | %s | ", type_text(field));
        print_default(out, field);
        fputs(" | ", out);
        print_limits(out, field);
        fputs(" | ", out);
        print_cell(out, field->doc != NULL ? field->doc : "");
        fputs(" |\n", out);
        print_nested(out, field, prefix);
    }
}

static void print_heading(FILE *out, const char *title, int level)
{
    if (level > 0)
        fprintf(out, "%.*s %s\n\n", level, "######", title);
}

/* Variants that CUSTOM fields read come after the table that has them. */
static void print_variant_fields(FILE *out, const struct config_table *table, int level)
{
    for (uint32_t i = 0; i < table->n; i++) {
        const struct config_field *field = &table->fields[i];
        if (field->variants != NULL)
            config_print_variants(out, field->variants, level);
        if (field->table != NULL)
            print_variant_fields(out, field->table, level);
    }
}

static void print_body(FILE *out, const struct config_table *table, int level, const char *except)
{
    fputs("| field | type | default | limits | meaning |\n| --- | --- | --- | --- | --- |\n", out);
    print_rows(out, table, "", except);
    fputc('\n', out);
    print_variant_fields(out, table, level + 1);
}

void config_print_table(FILE *out, const struct config_table *table, int level)
{
    print_heading(out, table->title, level);
    if (table->n == 0)
        fputs("No fields of its own.\n\n", out);
    else
        print_body(out, table, level, NULL);
}

/* A table whose only field is the type has nothing to tell. */
static bool has_fields(const struct config_table *table)
{
    return table != NULL &&
           (table->n > 1 || (table->n == 1 && strcmp(table->fields[0].name, "type") != 0));
}

/* The heading of a variant says its type already. */
void config_print_variants(FILE *out, const struct config_variants *variants, int level)
{
    print_heading(out, variants->title, level);
    for (uint32_t i = 0; i < variants->n; i++) {
        const struct config_variant *variant = &variants->variants[i];
        fprintf(out, "`\"type\": \"%s\"`", variant->type);
        if (!has_fields(variant->table)) {
            fputs(": no fields of its own.\n\n", out);
            continue;
        }
        fputs("\n\n", out);
        print_body(out, variant->table, level, "type");
    }
}
