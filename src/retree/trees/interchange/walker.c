#define _MISSING (-1)
#define _TIE 1e-6 /* shares that differ by less are equal */

enum { _THRESHOLD, _SUBSET, _EACH_LEVEL, _OBLIQUE, _NEAREST };
enum { _MANHATTAN, _EUCLIDEAN };

/* Returns the number of the nearest centre, the first where distances tie. */
static int _nearest(const _test *test, int n_centres, const double *x) {
    double least = INFINITY;
    int found = 0, is_known = 0, c, k;
    for (k = 0; k < test->count; ++k) is_known |= !isnan(x[_measures[test->start + k].column]);
    if (!is_known) return _MISSING;
    for (c = 0; c < n_centres; ++c) {
        const double *centre = _positions + test->positions + (long)c * test->n_slots;
        double numeric = 0.0, categorical = 0.0, distance;
        for (k = 0; k < test->count; ++k) {
            const _measure *of = &_measures[test->start + k];
            const double value = x[of->column];
            double gap;
            if (isnan(value)) continue;
            if (of->is_categorical) {
                categorical += of->weight * (1.0 - centre[of->slot + (int)value]);
                continue;
            }
            gap = (value - of->offset) / of->scale - centre[of->slot];
            numeric += of->weight * (test->column == _MANHATTAN ? fabs(gap) : gap * gap);
        }
        if (test->column == _EUCLIDEAN) numeric = sqrt(numeric);
        distance = test->number * numeric + (1.0 - test->number) * categorical;
        if (distance < least) {
            least = distance;
            found = c;
        }
    }
    return found;
}

/* Returns the number of the branch that a row takes, or _MISSING. */
static int _branch(const _node *node, const double *x) {
    const _test *test = &_tests[node->test];
    double value = 0.0;
    int k;
    if (test->kind == _NEAREST) return _nearest(test, node->n_children, x);
    if (test->kind == _OBLIQUE)
        for (k = test->start; k < test->start + test->count; ++k)
            value += _terms[k].coefficient * x[_terms[k].column];
    else
        value = x[test->column];
    if (isnan(value)) return _MISSING;
    if (test->kind == _EACH_LEVEL) return (int)value;
    if (test->kind != _SUBSET) return value <= test->number ? 0 : 1;
    for (k = test->start; k < test->start + test->count; ++k)
        if (_subsets[k] == (int)value) return 0;
    return 1;
}

/* Adds the values of the leaf of a row, times the part of the row that gets there. */
static void _add(long number, double part, const double *x, double *total) {
    const _node *node = &_nodes[number];
    double sums[_N_VALUES] = {0.0};
    int k;
    while (node->n_children > 0) {
        const int branch = _branch(node, x);
        if (branch == _MISSING) break;
        node = &_nodes[_children[node->first + branch].node];
    }
    if (node->n_children == 0) {
        for (k = 0; k < _N_VALUES; ++k) total[k] += part * _values[node->first + k];
        return;
    }
    for (k = 0; k < node->n_children; ++k) {
        const _child *child = &_children[node->first + k];
        if (child->gets_part) _add(child->node, part * child->part, x, sums);
    }
    for (k = 0; k < _N_VALUES; ++k) total[k] += sums[k];
}

/* Returns the number of the greatest value, the first where values tie. */
static int _majority(const double *values) {
    double most = values[0];
    int k;
    for (k = 1; k < _N_VALUES; ++k)
        if (values[k] > most) most = values[k];
    for (k = 0; k < _N_VALUES; ++k)
        if (values[k] > most - _TIE) return k;
    return 0;
}

static void _predict(const double *row, double *total) {
    double x[_N_COLUMNS];
    int j, t, k;
    for (j = 0; j < _N_COLUMNS; ++j)
        x[j] = _columns[j].level < 0 ? row[_columns[j].feature]
                                     : (double)(row[_columns[j].feature] == _columns[j].level);
    for (k = 0; k < _N_VALUES; ++k) total[k] = 0.0;
    for (t = 0; t < _N_TREES; ++t) {
        double values[_N_VALUES] = {0.0};
        _add(_roots[t], 1.0, x, values);
        if (_VOTES)
            total[_majority(values)] += _weights[t];
        else
            for (k = 0; k < _N_VALUES; ++k) total[k] += _weights[t] * values[k];
    }
    if (!_IS_FOREST) return;
    for (k = 0; k < _N_VALUES; ++k) {
        total[k] /= _TOTAL;
        if (total[k] > 1.0) total[k] = 1.0;
    }
}
