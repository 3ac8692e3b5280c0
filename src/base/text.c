// Text. text.h has the contract.
#include "base/text.h"

size_t micai_text_character(const char *text, size_t size)
{
    const unsigned char *at = (const unsigned char *)text;
    unsigned char c = size > 0 ? at[0] : 0xff;
    if (c < 0x80) {
        return 1;
    }
    size_t count = c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : 2;
    if (c < 0xc2 || c > 0xf4 || count > size) {
        return 0;
    }
    for (size_t i = 1; i < count; i++) {
        if (at[i] >> 6 != 2) {
            return 0;
        }
    }
    bool too_long = (c == 0xe0 && at[1] < 0xa0) || (c == 0xf0 && at[1] < 0x90);
    bool surrogate = c == 0xed && at[1] >= 0xa0;
    bool beyond = c == 0xf4 && at[1] >= 0x90;
    return too_long || surrogate || beyond ? 0 : count;
}

bool micai_text_is_control(const char *text, size_t size)
{
    const unsigned char *at = (const unsigned char *)text;
    return size > 0 && (at[0] < 0x20 || at[0] == 0x7f ||
                        (size > 1 && at[0] == 0xc2 && at[1] >= 0x80 && at[1] < 0xa0));
}
