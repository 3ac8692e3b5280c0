// Floats and text. Printing uses the free-format algorithm of Steele and White in the form of
// Burger and Dybvig. It generates exact digits until the rest is nearer to this float than to any
// other. Reading divides with as many bits as necessary. Both use large integers of a fixed size. A
// table of powers would be faster, but twice the size of this file.
#include "image/json_number_internal.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/canary.h"

// Large integers

#define LIMBS 64 // 2,048 bits: enough for 10 to the power of 464, shifted by 64

typedef struct large {
    uint32_t count; // limbs in use; the highest one is not 0
    uint32_t limbs[LIMBS];
} large;

static void set(large *a, uint64_t value)
{
    a->count = 0;
    for (; value > 0; value >>= 32) {
        a->limbs[a->count++] = (uint32_t)value;
    }
}

static void multiply(large *a, uint32_t factor, uint32_t carry)
{
    uint64_t over = carry;
    for (uint32_t i = 0; i < a->count; i++) {
        over += (uint64_t)a->limbs[i] * factor;
        a->limbs[i] = (uint32_t)over;
        over >>= 32;
    }
    if (over > 0) {
        assert(a->count < LIMBS);
        a->limbs[a->count++] = (uint32_t)over;
    }
}

static void multiply_by_ten_to(large *a, uint32_t power)
{
    for (; power >= 9; power -= 9) {
        multiply(a, 1000000000u, 0);
    }
    for (; power > 0; power--) {
        multiply(a, 10, 0);
    }
}

static void shift(large *a, uint32_t bits)
{
    uint32_t whole = bits / 32;
    uint32_t rest = bits % 32;
    if (a->count == 0) {
        return;
    }
    if (rest > 0) {
        multiply(a, UINT32_C(1) << rest, 0);
    }
    assert(a->count + whole <= LIMBS);
    memmove(a->limbs + whole, a->limbs, a->count * sizeof a->limbs[0]);
    memset(a->limbs, 0, whole * sizeof a->limbs[0]);
    a->count += whole;
}

static int compare(const large *a, const large *b)
{
    if (a->count != b->count) {
        return a->count < b->count ? -1 : 1;
    }
    for (uint32_t i = a->count; i-- > 0;) {
        if (a->limbs[i] != b->limbs[i]) {
            return a->limbs[i] < b->limbs[i] ? -1 : 1;
        }
    }
    return 0;
}

// Compares a + b with c.
static int compare_sum(const large *a, const large *b, const large *c)
{
    large sum = *a;
    uint64_t over = 0;
    uint32_t count = a->count > b->count ? a->count : b->count;
    for (uint32_t i = 0; i < count; i++) {
        over += i < a->count ? a->limbs[i] : 0;
        over += i < b->count ? b->limbs[i] : 0;
        sum.limbs[i] = (uint32_t)over;
        over >>= 32;
    }
    sum.count = count;
    if (over > 0) {
        assert(sum.count < LIMBS);
        sum.limbs[sum.count++] = (uint32_t)over;
    }
    return compare(&sum, c);
}

// Computes a -= b; b must not be larger.
static void subtract(large *a, const large *b)
{
    uint64_t borrow = 0;
    for (uint32_t i = 0; i < a->count; i++) {
        uint64_t less = (i < b->count ? b->limbs[i] : 0) + borrow;
        borrow = a->limbs[i] < less;
        a->limbs[i] = (uint32_t)(a->limbs[i] - less);
    }
    while (a->count > 0 && a->limbs[a->count - 1] == 0) {
        a->count--;
    }
}

static uint32_t width(uint64_t value)
{
    uint32_t bits = 0;
    for (; value > 0; value >>= 1) {
        bits++;
    }
    return bits;
}

static uint32_t width_of(const large *a)
{
    return a->count == 0 ? 0 : (a->count - 1) * 32 + width(a->limbs[a->count - 1]);
}

// Formats

typedef struct format {
    uint32_t fraction; // its number of bits
    uint32_t exponent;
    int32_t least; // the exponent of the smallest normal number; 1.0 has exponent 0
} format;

static format format_of(uint32_t size)
{
    return size == 4 ? (format){23, 8, -126} : (format){52, 11, -1022};
}

static uint64_t ones(uint32_t count)
{
    return (UINT64_C(1) << count) - 1;
}

// Printing

// A float as significand * 2 to the power of exponent, and its digits: 0.ddd * 10 to the power of
// point.
typedef struct parts {
    uint64_t significand;
    int32_t exponent;
    bool uneven; // the next lower float is nearer than the next higher
    char digits[20];
    int32_t count;
    int32_t point;
} parts;

static parts split_number(uint64_t bits, format f)
{
    uint64_t fraction = bits & ones(f.fraction);
    int32_t exponent = (int32_t)(bits >> f.fraction & ones(f.exponent));
    bool normal = exponent > 0;
    return (parts){
        .significand = normal ? fraction | UINT64_C(1) << f.fraction : fraction,
        .exponent = (normal ? exponent - 1 : 0) + f.least - (int32_t)f.fraction,
        .uneven = fraction == 0 && exponent > 1,
    };
}

// Estimates the decimal logarithm of a number from its highest bit. The result is exact or one too
// low.
static int32_t estimate_log10(int32_t highest)
{
    int32_t scaled = highest * (highest < 0 ? 30103 : 30102);
    return scaled >= 0 ? scaled / 100000 : -((-scaled + 99999) / 100000);
}

// The state of digit generation: the rest of the number, and the distances to the neighbors in both
// directions, all over `unit`.
typedef struct digit_maker {
    large rest;
    large unit;
    large above;
    large below;
    bool even; // a number halfway to a neighbor is read as this one
} digit_maker;

static void scale(digit_maker *d, parts *p)
{
    uint32_t more = p->uneven ? 2 : 1;
    set(&d->rest, p->significand);
    set(&d->unit, 1);
    set(&d->above, 1);
    set(&d->below, 1);
    if (p->exponent >= 0) {
        uint32_t power = (uint32_t)p->exponent;
        shift(&d->rest, power + more);
        shift(&d->unit, more);
        shift(&d->above, power + more - 1);
        shift(&d->below, power);
    } else {
        shift(&d->rest, more);
        shift(&d->unit, (uint32_t)-p->exponent + more);
        shift(&d->above, more - 1);
    }
    p->point = estimate_log10(p->exponent + (int32_t)width(p->significand) - 1) + 1;
    if (p->point >= 0) {
        multiply_by_ten_to(&d->unit, (uint32_t)p->point);
    } else {
        multiply_by_ten_to(&d->rest, (uint32_t)-p->point);
        multiply_by_ten_to(&d->above, (uint32_t)-p->point);
        multiply_by_ten_to(&d->below, (uint32_t)-p->point);
    }
    d->even = (p->significand & 1) == 0;
    while (compare_sum(&d->rest, &d->above, &d->unit) >= (d->even ? 0 : 1)) {
        multiply(&d->unit, 10, 0);
        p->point++;
    }
}

static void make_digits(parts *p)
{
    digit_maker d;
    scale(&d, p);
    bool low = false;
    bool high = false;
    while (!low && !high) {
        multiply(&d.rest, 10, 0);
        multiply(&d.above, 10, 0);
        multiply(&d.below, 10, 0);
        int digit = 0;
        for (; compare(&d.rest, &d.unit) >= 0; digit++) {
            subtract(&d.rest, &d.unit);
        }
        low = compare(&d.rest, &d.below) < (d.even ? 1 : 0);
        high = compare_sum(&d.rest, &d.above, &d.unit) >= (d.even ? 0 : 1);
        if (MICAI_CANARY("image.last_digit")) {
            low = low || p->count == 15;
        }
        bool up = high && (!low || compare_sum(&d.rest, &d.rest, &d.unit) >= 0);
        p->digits[p->count++] = (char)('0' + digit + up);
    }
}

// Generates the digits of a whole number without large integers. Returns false for fractions, and
// for numbers at which floats are more than 1 apart.
static bool make_whole_digits(parts *p)
{
    bool zero = p->significand == 0;
    if (!zero && (p->exponent > 0 || p->exponent < -52 ||
                  (p->significand & ones((uint32_t)-p->exponent)) != 0)) {
        return false;
    }
    uint64_t whole = zero ? 0 : p->significand >> -p->exponent;
    char text[24];
    p->count = p->point = snprintf(text, sizeof text, "%" PRIu64, whole);
    while (p->count > 1 && text[p->count - 1] == '0') {
        p->count--;
    }
    memcpy(p->digits, text, (size_t)p->count);
    return true;
}

// Writes numbers from 0.00001 to below 10 to the power of 16 without an exponent.
static uint32_t write_digits(const parts *p, char *text)
{
    char *end = text;
    if (p->point > 16 || p->point < -4) {
        *end++ = p->digits[0];
        if (p->count > 1) {
            *end++ = '.';
            memcpy(end, p->digits + 1, (size_t)p->count - 1);
            end += p->count - 1;
        }
        end += snprintf(end, 8, "e%" PRId32, p->point - 1);
        return (uint32_t)(end - text);
    }
    for (int32_t place = p->point < 1 ? p->point - 1 : 0; place < p->count || place < p->point + 1;
         place++) {
        if (place == p->point) {
            *end++ = '.';
        }
        bool zero = place < 0 || place >= p->count;
        *end++ = (char)(zero ? '0' : p->digits[place]);
    }
    *end = '\0';
    return (uint32_t)(end - text);
}

static uint32_t print_special(uint64_t bits, format f, char *text)
{
    uint64_t usual = ones(f.exponent + 1) << (f.fraction - 1);
    bool negative = bits >> (f.fraction + f.exponent) != 0;
    if ((bits & ones(f.fraction)) == 0) {
        return (uint32_t)snprintf(text, MICAI_JSON_REAL_SIZE, "%sInfinity", negative ? "-" : "");
    }
    if (bits == usual) {
        return (uint32_t)snprintf(text, MICAI_JSON_REAL_SIZE, "NaN");
    }
    return (uint32_t)snprintf(text, MICAI_JSON_REAL_SIZE, "NaN(0x%0*" PRIx64 ")",
                              f.fraction == 23 ? 8 : 16, bits);
}

uint32_t micai_json_print_real(uint64_t bits, uint32_t size, char text[MICAI_JSON_REAL_SIZE],
                               bool *number_out)
{
    format f = format_of(size);
    *number_out = (bits >> f.fraction & ones(f.exponent)) != ones(f.exponent);
    if (!*number_out) {
        return print_special(bits, f, text);
    }
    uint32_t sign = 0;
    if (bits >> (f.fraction + f.exponent) != 0) {
        text[sign++] = '-';
    }
    parts p = split_number(bits & ones(f.fraction + f.exponent), f);
    if (!make_whole_digits(&p)) {
        make_digits(&p);
    }
    return sign + write_digits(&p, text + sign);
}

// Reading

// Digits without leading and trailing zeroes: digits * 10 to the power of exponent.
typedef struct decimal {
    bool negative;
    char digits[MICAI_JSON_NUMBER_MAX];
    int32_t count;
    int32_t exponent;
} decimal;

// Limits the exponent, which may have any number of digits.
static int32_t scan_exponent(const char *text)
{
    bool negative = *text == '-';
    int32_t value = 0;
    for (text += negative || *text == '+'; *text; text++) {
        value = value < 100000 ? value * 10 + (*text - '0') : value;
    }
    return negative ? -value : value;
}

static decimal scan_decimal(const char *text)
{
    decimal d = {.negative = *text == '-'};
    bool behind = false;
    for (text += d.negative; *text && *text != 'e' && *text != 'E'; text++) {
        if (*text == '.') {
            behind = true;
            continue;
        }
        d.exponent -= behind;
        if (d.count > 0 || *text != '0') {
            assert(d.count < (int32_t)sizeof d.digits);
            d.digits[d.count++] = *text;
        }
    }
    if (*text) {
        d.exponent += scan_exponent(text + 1);
    }
    while (d.count > 0 && d.digits[d.count - 1] == '0') {
        d.count--;
        d.exponent++;
    }
    return d;
}

// Returns the highest `count` bits of over / under, with one or two more, and whether there is a
// remainder. The result is quotient * 2 to the power of -shift_out.
static uint64_t divide(large *over, large *under, uint32_t count, int32_t *shift_out,
                       bool *left_out)
{
    int32_t up = (int32_t)count + 1 - ((int32_t)width_of(over) - (int32_t)width_of(under));
    uint64_t quotient = 0;
    *shift_out = up;
    if (up >= 0) {
        shift(over, (uint32_t)up);
    } else {
        shift(under, (uint32_t)-up);
    }
    shift(under, count + 1);
    for (uint32_t bit = 0; bit <= count + 1; bit++) {
        quotient <<= 1;
        if (compare(over, under) >= 0) {
            subtract(over, under);
            quotient |= 1;
        }
        multiply(over, 2, 0);
    }
    *left_out = over->count > 0;
    return quotient;
}

// Rounds quotient * 2 to the power of -up to the format. With `left`, the number is slightly
// larger.
static uint64_t round_to(format f, uint64_t quotient, int32_t up, bool left)
{
    int32_t bits = (int32_t)width(quotient);
    int32_t highest = bits - 1 - up;
    bool normal = highest >= f.least;
    int32_t keep = (int32_t)f.fraction + 1 - (normal ? 0 : f.least - highest);
    if (keep < 0) {
        return 0;
    }
    uint32_t drop = (uint32_t)(bits - keep);
    uint64_t significand = drop < 64 ? quotient >> drop : 0;
    uint64_t dropped = quotient & ones(drop);
    uint64_t half = UINT64_C(1) << (drop - 1);
    bool up_from_half = left || (significand & 1) != 0;
    significand += dropped > half || (dropped == half && up_from_half);
    // A carry from the significand increments the exponent.
    uint64_t exponent = normal ? (uint64_t)(highest - f.least) : 0;
    return (exponent << f.fraction) + significand;
}

bool micai_json_scan_real(const char *text, uint32_t size, uint64_t *bits_out)
{
    format f = format_of(size);
    decimal d = scan_decimal(text);
    uint64_t bits = 0;
    int32_t magnitude = d.count + d.exponent;
    if (d.count > 0 && magnitude > 310) {
        return false;
    }
    if (d.count > 0 && magnitude > -360) {
        large over;
        large under;
        set(&over, 0);
        set(&under, 1);
        for (int32_t i = 0; i < d.count; i++) {
            multiply(&over, 10, (uint32_t)(d.digits[i] - '0'));
        }
        if (d.exponent >= 0) {
            multiply_by_ten_to(&over, (uint32_t)d.exponent);
        } else {
            multiply_by_ten_to(&under, (uint32_t)-d.exponent);
        }
        int32_t up;
        bool left;
        uint64_t quotient = divide(&over, &under, f.fraction + 1, &up, &left);
        bits = round_to(f, quotient, up, left);
    }
    if (bits >> f.fraction >= ones(f.exponent)) {
        return false;
    }
    *bits_out = bits | (uint64_t)d.negative << (f.fraction + f.exponent);
    return true;
}

bool micai_json_scan_special(const char *text, uint32_t size, uint64_t *bits_out)
{
    format f = format_of(size);
    uint64_t infinity = ones(f.exponent) << f.fraction;
    if (strcmp(text, "NaN") == 0) {
        *bits_out = infinity | UINT64_C(1) << (f.fraction - 1);
        return true;
    }
    if (strcmp(text, "Infinity") == 0 || strcmp(text, "-Infinity") == 0) {
        *bits_out = infinity | (uint64_t)(*text == '-') << (f.fraction + f.exponent);
        return true;
    }
    if (strncmp(text, "NaN(0x", 6) != 0 || strlen(text) != 7 + size * 2) {
        return false;
    }
    uint64_t bits = 0;
    for (uint32_t i = 0; i < size * 2; i++) {
        int digit = micai_json_hex_digit(text[6 + i]);
        if (digit < 0) {
            return false;
        }
        bits = bits << 4 | (uint64_t)digit;
    }
    *bits_out = bits;
    return text[6 + size * 2] == ')' && (bits & infinity) == infinity &&
           (bits & ones(f.fraction)) != 0;
}
