// Items of JSON. json_item_internal.h has the contract.
#include "image/json_item_internal.h"

#include <inttypes.h>
#include <string.h>

// Tokens

void micai_json_take_failure(micai_json *j)
{
    mica_result failed = j->base.reading ? j->in.failed : j->out.output->failed;
    j->base.failed = j->base.failed ? j->base.failed : failed;
    j->in.token = j->base.failed ? MICAI_JSON_END : j->in.token;
}

const char *micai_json_label(const char *name)
{
    return name ? name : "an item";
}

micai_json_token micai_json_take(micai_json *j)
{
    if (!j->base.failed && !micai_json_next(&j->in) && !j->in.failed) {
        micai_json_fail(&j->in, "the document ends too early");
    }
    micai_json_take_failure(j);
    return j->in.token;
}

void micai_json_member(micai_json *j, const char *name)
{
    if (!j->base.reading) {
        return;
    }
    if (name && (micai_json_take(j) != MICAI_JSON_KEY || strcmp(j->in.text, name) != 0)) {
        micai_json_refuse(j, "\"%.80s\" is missing", name);
    }
    micai_json_take(j);
}

bool micai_json_expect(micai_json *j, const char *name, micai_json_token token, const char *what)
{
    micai_json_member(j, name);
    if (j->in.token != token) {
        micai_json_refuse(j, "%.80s must be %s", micai_json_label(name), what);
    }
    return !j->base.failed;
}

void micai_json_end_container(micai_json *j, const char *what)
{
    if (!j->base.reading) {
        micai_json_close(&j->out);
        micai_json_take_failure(j);
    } else if (micai_json_take(j) != MICAI_JSON_CLOSE) {
        micai_json_refuse(j, "%.80s has more than it can have", what);
    }
}

// Items

void micai_json_flag(micai_json *j, const char *name, bool *flag)
{
    if (!j->base.reading) {
        micai_json_write_bool(&j->out, name, *flag);
        return;
    }
    *flag = j->in.token == MICAI_JSON_TRUE;
    if (!*flag && j->in.token != MICAI_JSON_FALSE) {
        micai_json_refuse(j, "%.80s must be true or false", micai_json_label(name));
    }
}

static void refuse_integer(micai_json *j, const char *name, const char *kind)
{
    name = micai_json_label(name);
    if (j->in.token != MICAI_JSON_INTEGER) {
        micai_json_refuse(j, "%.80s must be a whole number", name);
    } else if (kind) {
        micai_json_refuse(j, "%.80s, of kind %s, cannot be %s", name, kind, j->in.text);
    } else {
        micai_json_refuse(j, "%.80s cannot be %s", name, j->in.text);
    }
}

void micai_json_unsigned(micai_json *j, const char *name, const char *kind, uint64_t *number,
                         uint64_t max)
{
    if (!j->base.reading) {
        micai_json_write_unsigned(&j->out, name, *number);
    } else if (j->in.token != MICAI_JSON_INTEGER || !micai_json_to_unsigned(&j->in, number) ||
               *number > max) {
        refuse_integer(j, name, kind);
        *number = 0;
    }
}

void micai_json_signed(micai_json *j, const char *name, const char *kind, int64_t *number,
                       int64_t max)
{
    if (!j->base.reading) {
        micai_json_write_signed(&j->out, name, *number);
    } else if (j->in.token != MICAI_JSON_INTEGER || !micai_json_to_signed(&j->in, number) ||
               *number > max || *number < -max - 1) {
        refuse_integer(j, name, kind);
        *number = 0;
    }
}

void micai_json_real(micai_json *j, const char *name, uint64_t *bits, uint32_t size)
{
    if (!j->base.reading) {
        micai_json_write_real(&j->out, name, *bits, size);
        return;
    }
    micai_json_token token = j->in.token;
    if (token == MICAI_JSON_INTEGER || token == MICAI_JSON_REAL) {
        if (!micai_json_scan_real(j->in.text, size, bits)) {
            micai_json_refuse(j, "%.80s cannot be %s: that is beyond all floats",
                              micai_json_label(name), j->in.text);
        }
    } else if (token != MICAI_JSON_TEXT || !micai_json_scan_special(j->in.text, size, bits)) {
        micai_json_refuse(j, "%.80s must be a number, or \"NaN\" or \"Infinity\"",
                          micai_json_label(name));
    }
    *bits = j->base.failed ? 0 : *bits;
}

// Decodes bytes in place, over their digits.
void micai_json_bytes(micai_json *j, const char *name, const unsigned char **bytes, size_t *size)
{
    if (!j->base.reading) {
        micai_json_write_bytes(&j->out, name, *bytes, *size);
        return;
    }
    *bytes = NULL;
    *size = 0;
    if (!micai_json_expect(j, "bytes", MICAI_JSON_TEXT, "a string")) {
        return;
    }
    char *text = j->in.text;
    bool right = j->in.size % 2 == 0;
    for (size_t i = 0; right && i < j->in.size; i += 2) {
        int high = micai_json_hex_digit(text[i]);
        int low = micai_json_hex_digit(text[i + 1]);
        right = high >= 0 && low >= 0;
        text[i / 2] = (char)(unsigned char)(high * 16 + low);
    }
    if (!right) {
        micai_json_refuse(j, "bytes are written in pairs of digits: 0 to 9, a to f");
        return;
    }
    size_t count = j->in.size / 2;
    micai_json_end_container(j, micai_json_label(name));
    *bytes = j->base.failed ? NULL : (const unsigned char *)text;
    *size = j->base.failed ? 0 : count;
}

void micai_json_text(micai_json *j, const char *name, const char **text, size_t *size, size_t max)
{
    if (!j->base.reading) {
        micai_json_write_text(&j->out, name, *text, *size);
        return;
    }
    const unsigned char *bytes = NULL;
    *size = 0;
    if (j->in.token == MICAI_JSON_TEXT) {
        bytes = (const unsigned char *)j->in.text;
        *size = j->in.size;
    } else if (j->in.token == MICAI_JSON_OBJECT) {
        micai_json_bytes(j, name, &bytes, size);
    } else {
        micai_json_refuse(j, "%.80s must be a string", micai_json_label(name));
    }
    if (*size > max) {
        micai_json_refuse(j, "%.80s is longer than %llu bytes", micai_json_label(name),
                          (unsigned long long)max);
    } else if (bytes && memchr(bytes, 0, *size)) {
        micai_json_refuse(j, "%.80s has a zero in it", micai_json_label(name));
    }
    *text = j->base.failed ? NULL : (const char *)bytes;
    *size = j->base.failed ? 0 : *size;
}

// Scans "slot.generation", as mica_entity_text() writes it.
static bool scan_entity(const char *text, mica_entity *entity_out)
{
    uint64_t parts[2] = {0, 0};
    for (int i = 0; i < 2; i++) {
        const char *from = text;
        for (; *text >= '0' && *text <= '9' && parts[i] <= UINT32_MAX; text++) {
            parts[i] = parts[i] * 10 + (uint64_t)(*text - '0');
        }
        bool needless = *from == '0' && text > from + 1;
        if (text == from || needless || *text != (i == 0 ? '.' : '\0')) {
            return false;
        }
        text++;
    }
    *entity_out = (mica_entity){(parts[1] + 1) << 32 | parts[0]};
    return parts[0] <= UINT32_MAX && parts[1] < UINT32_MAX;
}

static void write_entity(micai_json *j, const char *name, mica_entity entity)
{
    char handle[MICA_ENTITY_TEXT_SIZE];
    if (MICA_IS_NONE(entity)) {
        micai_json_write_null(&j->out, name);
    } else if (entity.bits >> 32 == 0) { // no handle has these bits
        micai_json_write_unsigned(&j->out, name, entity.bits);
    } else {
        mica_entity_text(entity, handle);
        micai_json_write_text(&j->out, name, handle, strlen(handle));
    }
}

void micai_json_entity(micai_json *j, const char *name, mica_entity *entity)
{
    if (!j->base.reading) {
        write_entity(j, name, *entity);
        return;
    }
    bool right = j->in.token == MICAI_JSON_NULL;
    *entity = (mica_entity){0};
    if (j->in.token == MICAI_JSON_TEXT) {
        right = scan_entity(j->in.text, entity);
    } else if (j->in.token == MICAI_JSON_INTEGER) {
        right = micai_json_to_unsigned(&j->in, &entity->bits);
    }
    if (!right) {
        micai_json_refuse(j, "%.80s must be an entity, such as \"12.3\", or null",
                          micai_json_label(name));
        *entity = (mica_entity){0};
    }
}

void micai_json_items(micai_json *j, const char *name, micai_json_style style, uint32_t count,
                      micai_json_item *item, const void *how, void *list, size_t size)
{
    unsigned char *next = list;
    if (!j->base.reading) {
        micai_json_open_list(&j->out, name, style);
    } else {
        micai_json_expect(j, name, MICAI_JSON_LIST, "a list");
    }
    for (uint32_t i = 0; i < count && !j->base.failed; i++, next += size) {
        if (j->base.reading && micai_json_take(j) == MICAI_JSON_CLOSE) {
            micai_json_refuse(j, "%.80s has %" PRIu32 " items and not %" PRIu32,
                              micai_json_label(name), i, count);
        } else if (!j->base.failed) {
            item(j, how, next);
        }
    }
    micai_json_end_container(j, micai_json_label(name));
    if (j->base.reading && j->base.failed) {
        memset(list, 0, count * size);
    }
}
