// Systems and phases in snapshots: time and runs of phases, which systems are enabled, and how far they
// have read events. What was created later is as when it was created, but it stays enabled or disabled.
#include "system/part.h"

#include "base/canary.h"
#include "system/system.h"

static void write(mica_world *world, micai_blob *to)
{
    const micai_systems *all = micai_systems_of(world);
    for (uint32_t i = 0; all && i < all->phases.count; i++) {
        const micai_phase *phase = all->phases.items[i];
        micai_blob_write_64(to, phase->handle.bits);
        micai_blob_write_64(to, phase->runs);
        micai_blob_write(to, &phase->now, sizeof phase->now);
    }
    micai_blob_write_64(to, 0);
    for (const micai_system *one = all ? micai_systems_from(all, 0) : NULL; one;
         one = micai_systems_after(all, one)) {
        micai_blob_write_64(to, one->handle.bits);
        micai_blob_write_64(to, one->enabled);
        micai_blob_write_64(to, one->declared.event_count);
        micai_blob_write(to, one->sent, one->declared.event_count * sizeof *one->sent);
        micai_blob_write(to, one->declared.read,
                         one->declared.event_count * sizeof *one->declared.read);
    }
    micai_blob_write_64(to, 0);
}

static void read_phase(const micai_systems *all, uint64_t bits, micai_bytes *from)
{
    micai_phase *phase = all ? micai_phases_look_up(all, (mica_phase){bits}) : NULL;
    uint64_t runs = micai_bytes_read_64(from);
    micai_phase_time now;
    micai_bytes_read(from, &now, sizeof now);
    if (phase) {
        phase->runs = runs;
        phase->now = now;
    }
}

static void read_system(const micai_systems *all, uint64_t bits, micai_bytes *from)
{
    micai_system *one = all ? micai_systems_look_up(all, (mica_system){bits}) : NULL;
    uint64_t enabled = micai_bytes_read_64(from);
    size_t events = (size_t)micai_bytes_read_64(from);
    const void *sent = micai_bytes_skip(from, events * sizeof *one->sent);
    const void *positions = micai_bytes_skip(from, events * sizeof *one->declared.read);
    if (one && events == one->declared.event_count) { // a twin may have another system there
        micai_system_set_enabled(one, enabled);
        memcpy(one->sent, sent, events * sizeof *one->sent);
        if (MICAI_CANARY("system.position_restored")) {
            return;
        }
        memcpy(one->declared.read, positions, events * sizeof *one->declared.read);
    }
}

// What the snapshot does not have has not run, and has read nothing.
static void reset(const micai_systems *all)
{
    for (uint32_t i = 0; i < all->phases.count; i++) {
        all->phases.items[i]->runs = 0;
        all->phases.items[i]->now = (micai_phase_time){0};
    }
    for (micai_system *one = micai_systems_from(all, 0); one; one = micai_systems_after(all, one)) {
        memset(one->sent, 0, sizeof one->sent);
        memset(one->declared.read, 0, sizeof one->declared.read);
    }
}

static void read(mica_world *world, micai_bytes from, void *staged)
{
    const micai_systems *all = micai_systems_of(world);
    (void)staged;
    if (all) {
        reset(all);
    }
    for (uint64_t bits = micai_bytes_read_64(&from); bits != 0; bits = micai_bytes_read_64(&from)) {
        read_phase(all, bits, &from);
    }
    for (uint64_t bits = micai_bytes_read_64(&from); bits != 0; bits = micai_bytes_read_64(&from)) {
        read_system(all, bits, &from);
    }
}

const micai_part micai_systems_part = {NULL, write, NULL, read, NULL};
