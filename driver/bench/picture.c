/* A panel, from top to bottom: title, legend with the figures (ours left, theirs right), plot with
 * the steps of both histograms and a mark at the worst of each, axis. Sizes are in pixels. */
#include "driver/bench/picture.h"

#include <errno.h>
#include <math.h>
#include <string.h>

enum {
    WIDTH = 960,
    PANEL_HEIGHT = 470,
    LEFT = 92,
    RIGHT = 28,
    TOP = 112,
    BOTTOM = 64,
    PLOT_WIDTH = WIDTH - LEFT - RIGHT,
    PLOT_HEIGHT = PANEL_HEIGHT - TOP - BOTTOM,
    BINS_PER_DECADE = 10,
    FROM_DECADE = 1,     /* 10 ns: what is less is in the first bin */
    LEAST_TO_DECADE = 5, /* 100 us */
    MOST_DECADES = 10,
    MAX_BINS = MOST_DECADES * BINS_PER_DECADE,
    LEGEND_TOP = 56,
    LEGEND_LINE = 17,
};

#define OURS_COLOR "#0b6e99"
#define VERSUS_COLOR "#d1661a"

struct scale {
    int to_decade; /* of ns */
    int n_bins;
    int top_decade; /* of counts */
};

struct bins {
    double count[MAX_BINS];
    double most;
};

/* ---- From buckets to bins */

static int bin_of(const struct scale *scale, double ns)
{
    if (ns <= pow(10, FROM_DECADE))
        return 0;
    int bin = (int)((log10(ns) - FROM_DECADE) * BINS_PER_DECADE);
    return bin < scale->n_bins ? bin : scale->n_bins - 1;
}

static void fill_bins(const struct scale *scale, const struct base_histo_copy *late,
                      struct bins *bins)
{
    memset(bins, 0, sizeof *bins);
    bins->count[0] += (double)late->below;
    bins->count[scale->n_bins - 1] += (double)late->above;
    for (uint32_t i = 0; i < BASE_HISTO_BUCKETS; i++) {
        if (late->counts[i] == 0)
            continue;
        double middle =
            ((double)base_histo_bucket_from(i) + (double)base_histo_bucket_to(i) + 1) / 2;
        bins->count[bin_of(scale, middle)] += (double)late->counts[i];
    }
    for (int i = 0; i < scale->n_bins; i++)
        bins->most = fmax(bins->most, bins->count[i]);
}

static int decades_for(double value)
{
    return value <= 1 ? 0 : (int)ceil(log10(value));
}

static struct scale scale_for(const struct bench_result *result)
{
    double worst = fmax((double)result->ours.late.max, (double)result->versus.late.max);
    int to = decades_for(worst);
    to = to < LEAST_TO_DECADE ? LEAST_TO_DECADE : to;
    to = to > FROM_DECADE + MOST_DECADES ? FROM_DECADE + MOST_DECADES : to;
    return (struct scale){.to_decade = to, .n_bins = (to - FROM_DECADE) * BINS_PER_DECADE};
}

/* ---- Places */

static double x_of_bin(const struct scale *scale, double bin)
{
    return LEFT + bin * PLOT_WIDTH / scale->n_bins;
}

/* The lowest line is half a fire: one fire stands out from the axis. */
static double y_of_count(const struct scale *scale, double count)
{
    const double floor_log = log10(0.5);
    double share = count < 0.5 ? 0 : (log10(count) - floor_log) / (scale->top_decade - floor_log);
    return TOP + PLOT_HEIGHT * (1 - share);
}

/* ---- Drawing */

static void put_text(FILE *out, const char *text)
{
    for (; *text != '\0'; text++) {
        switch (*text) {
        case '&': fputs("&amp;", out); break;
        case '<': fputs("&lt;", out); break;
        case '>': fputs("&gt;", out); break;
        default: fputc(*text, out);
        }
    }
}

static const char *time_text(double ns, char text[24])
{
    static const char *const units[] = {"ns", "\xc2\xb5s", "ms", "s"};
    int i = 0;
    for (; i < 3 && ns >= 1000; i++)
        ns /= 1000;
    snprintf(text, 24, ns < 10 && i > 0 ? "%.2g %s" : "%.0f %s", ns, units[i]);
    return text;
}

static void draw_x_axis(FILE *out, const struct scale *scale)
{
    char text[24];
    for (int decade = FROM_DECADE; decade <= scale->to_decade; decade++) {
        double x = x_of_bin(scale, (double)(decade - FROM_DECADE) * BINS_PER_DECADE);
        fprintf(out, "<line class='grid' x1='%.1f' y1='%d' x2='%.1f' y2='%d'/>\n", x, TOP, x,
                TOP + PLOT_HEIGHT);
        fprintf(out, "<text class='tick' x='%.1f' y='%d' text-anchor='middle'>%s</text>\n", x,
                TOP + PLOT_HEIGHT + 20, time_text(pow(10, decade), text));
    }
    fprintf(out,
            "<text class='axis' x='%d' y='%d' text-anchor='middle'>time from the deadline to the "
            "cycle (log)"
            "</text>\n",
            LEFT + PLOT_WIDTH / 2, TOP + PLOT_HEIGHT + 46);
}

static void draw_y_axis(FILE *out, const struct scale *scale)
{
    static const char *const names[] = {"1",           "10",       "100",       "1 000",
                                        "10 000",      "100 000",  "1 million", "10 million",
                                        "100 million", "1 billion"};
    for (int decade = 0; decade <= scale->top_decade && decade < 10; decade++) {
        double y = y_of_count(scale, pow(10, decade));
        fprintf(out, "<line class='grid' x1='%d' y1='%.1f' x2='%d' y2='%.1f'/>\n", LEFT, y,
                LEFT + PLOT_WIDTH, y);
        fprintf(out, "<text class='tick' x='%d' y='%.1f' text-anchor='end'>%s</text>\n", LEFT - 8,
                y + 4, names[decade]);
    }
    fprintf(out,
            "<text class='axis' transform='translate(18 %d) rotate(-90)' text-anchor='middle'>"
            "fires (log)</text>\n",
            TOP + PLOT_HEIGHT / 2);
}

/* Bins beside each other as one outline, filled down to the axis. */
static void draw_bins(FILE *out, const struct scale *scale, const struct bins *bins,
                      const char *color)
{
    double bottom = y_of_count(scale, 0);
    fprintf(out, "<path fill='%s' fill-opacity='0.22' stroke='%s' stroke-width='1.6' d='M%.1f %.1f",
            color, color, x_of_bin(scale, 0), bottom);
    for (int i = 0; i < scale->n_bins; i++)
        fprintf(out, "V%.1fH%.1f", y_of_count(scale, bins->count[i]), x_of_bin(scale, i + 1));
    fprintf(out, "V%.1fZ'/>\n", bottom);
}

static void draw_worst(FILE *out, const struct scale *scale, const struct bench_side *side,
                       const char *color)
{
    double ns = fmax((double)side->late.max, pow(10, FROM_DECADE));
    double bin = fmin((log10(ns) - FROM_DECADE) * BINS_PER_DECADE, scale->n_bins);
    double x = x_of_bin(scale, bin), y = TOP + PLOT_HEIGHT;
    fprintf(out, "<path fill='%s' d='M%.1f %.1fl-5 9h10z'/>\n", color, x, y);
}

static void draw_legend_side(FILE *out, int x, const char *name, const struct bench_side *side,
                             const char *color)
{
    struct bench_figures f = bench_side_figures(side);
    char mean[24], p50[24], p99[24], p999[24], p9999[24], worst[24];
    fprintf(out,
            "<rect x='%d' y='%d' width='14' height='12' fill='%s' fill-opacity='0.22' "
            "stroke='%s'/>\n",
            x, LEGEND_TOP - 11, color, color);
    fprintf(out, "<text class='name' x='%d' y='%d'>%s, %llu fires</text>\n", x + 22, LEGEND_TOP,
            name, (unsigned long long)f.count);
    fprintf(out, "<text class='figure' x='%d' y='%d'>mean %s, p50 %s, p99 %s</text>\n", x + 22,
            LEGEND_TOP + LEGEND_LINE, time_text(f.mean_us * 1e3, mean),
            time_text(f.p50_us * 1e3, p50), time_text(f.p99_us * 1e3, p99));
    fprintf(out,
            "<text class='figure' x='%d' y='%d'>p99.9 %s, p99.99 %s, worst %s "
            "<tspan fill='%s'>\xe2\x96\xb2</tspan></text>\n",
            x + 22, LEGEND_TOP + 2 * LEGEND_LINE, time_text(f.p999_us * 1e3, p999),
            time_text(f.p9999_us * 1e3, p9999), time_text(f.worst_us * 1e3, worst), color);
}

static void draw_legend(FILE *out, const struct bench_result *result)
{
    draw_legend_side(out, LEFT, "arcd", &result->ours, OURS_COLOR);
    if (result->has_versus)
        draw_legend_side(out, LEFT + PLOT_WIDTH / 2, result->versus.name, &result->versus,
                         VERSUS_COLOR);
}

static void draw_panel(FILE *out, const struct bench_panel *panel)
{
    const struct bench_result *result = panel->result;
    struct bins ours, versus;
    struct scale scale = scale_for(result);
    fill_bins(&scale, &result->ours.late, &ours);
    fill_bins(&scale, &result->versus.late, &versus);
    scale.top_decade = decades_for(fmax(ours.most, versus.most) * 1.2);
    scale.top_decade = scale.top_decade < 1 ? 1 : scale.top_decade;
    fputs("<text class='title' x='", out);
    fprintf(out, "%d' y='32'>", LEFT);
    put_text(out, panel->title);
    fputs("</text>\n", out);
    draw_x_axis(out, &scale);
    draw_y_axis(out, &scale);
    if (result->has_versus)
        draw_bins(out, &scale, &versus, VERSUS_COLOR);
    draw_bins(out, &scale, &ours, OURS_COLOR);
    if (result->has_versus)
        draw_worst(out, &scale, &result->versus, VERSUS_COLOR);
    draw_worst(out, &scale, &result->ours, OURS_COLOR);
    draw_legend(out, result);
}

void bench_picture_write(FILE *out, const struct bench_panel *panels, uint32_t n)
{
    fprintf(out,
            "<svg xmlns='http://www.w3.org/2000/svg' width='%d' height='%u' viewBox='0 0 %d %u'>\n"
            "<style>text{font-family:'DejaVu Sans',Verdana,sans-serif;fill:#222}"
            ".title{font-size:17px;font-weight:bold}.axis{font-size:14px}.tick{font-size:12px}"
            ".name{font-size:13px;font-weight:bold}.figure{font-size:12px}"
            ".grid{stroke:#ddd;stroke-width:1}</style>\n"
            "<rect width='100%%' height='100%%' fill='white'/>\n",
            WIDTH, n * PANEL_HEIGHT, WIDTH, n * PANEL_HEIGHT);
    for (uint32_t i = 0; i < n; i++) {
        fprintf(out, "<g transform='translate(0 %u)'>\n", i * PANEL_HEIGHT);
        draw_panel(out, &panels[i]);
        fputs("</g>\n", out);
    }
    fputs("</svg>\n", out);
}

enum arcd_err bench_picture_save(const char *path, const struct bench_panel *panels, uint32_t n,
                                 struct arcd_errinfo *why)
{
    FILE *out = fopen(path, "we");
    if (out == NULL)
        return arcd_fail_errno(why, errno, "cannot write %s", path);
    bench_picture_write(out, panels, n);
    bool written = ferror(out) == 0;
    if (fclose(out) == 0 && written)
        return ARCD_OK;
    return arcd_fail_errno(why, errno, "cannot write %s", path);
}
