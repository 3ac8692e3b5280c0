// A flock in a window, by SDL2.
#include "keys.h"
#include "picture.h"
#include "screen.h"

#include <SDL.h>
#include <stdio.h>

enum { WIDTH = 1280, HEIGHT = 720 };

double screen_seconds(void)
{
    return (double)SDL_GetPerformanceCounter() / (double)SDL_GetPerformanceFrequency();
}

bool screen_is_there(void)
{
    return true;
}

typedef struct stage {
    SDL_Window *window;
    SDL_Renderer *renderer;
    SDL_Texture *texture;
} stage;

static bool open_stage(stage *s)
{
    if (SDL_Init(SDL_INIT_VIDEO) != 0) {
        return false;
    }
    s->window = SDL_CreateWindow("mica: a flock", SDL_WINDOWPOS_CENTERED, SDL_WINDOWPOS_CENTERED,
                                 WIDTH, HEIGHT, SDL_WINDOW_RESIZABLE);
    s->renderer = s->window ? SDL_CreateRenderer(s->window, -1, SDL_RENDERER_PRESENTVSYNC) : NULL;
    s->texture = s->renderer ? SDL_CreateTexture(s->renderer, SDL_PIXELFORMAT_RGB24,
                                                 SDL_TEXTUREACCESS_STREAMING, WIDTH, HEIGHT)
                             : NULL;
    return s->texture != NULL;
}

static void close_stage(stage *s)
{
    SDL_DestroyTexture(s->texture);
    SDL_DestroyRenderer(s->renderer);
    SDL_DestroyWindow(s->window);
    SDL_Quit();
}

static void take_keys(keys *k, flock *f)
{
    SDL_Event event;
    while (SDL_PollEvent(&event)) {
        if (event.type == SDL_QUIT) {
            k->leave = true;
        } else if (event.type == SDL_TEXTINPUT) {
            keys_press(k, f, (unsigned char)event.text.text[0]);
        } else if (event.type == SDL_KEYDOWN && event.key.keysym.sym == SDLK_ESCAPE) {
            keys_press(k, f, 27);
        }
    }
}

static void show(stage *s, picture *p, flock *f, const keys *k)
{
    char title[384];
    picture_draw(p, f);
    SDL_UpdateTexture(s->texture, NULL, p->pixels, 3 * WIDTH);
    SDL_RenderCopy(s->renderer, s->texture, NULL, NULL);
    SDL_RenderPresent(s->renderer);
    snprintf(
        title, sizeof title,
        "mica: %u birds, %u threads, %.2f ms a frame, %.2f ms back, digest %016llx, velocities stored: "
        "%s   (" KEYS_SHORT ")",
        (unsigned)MICA_RESOURCE(f->world, f->census, Census)->birds, (unsigned)flock_threads(f),
        k->frame_ms, k->back_ms, (unsigned long long)mica_world_digest(f->world), flock_storage(f));
    SDL_SetWindowTitle(s->window, title);
}

bool screen_run(flock *f, uint32_t frames)
{
    stage s = {0};
    picture p = {0};
    keys k = {0};
    bool good = open_stage(&s) && picture_resize(&p, WIDTH, HEIGHT);
    if (!good) {
        fprintf(stderr, "flock: no window: %s\n", SDL_GetError());
    }
    printf("keys: " KEYS_SHORT "\n"); // here, too: a narrow title is cut
    fflush(stdout);
    for (uint32_t frame = 0; good && !k.leave && (frames == 0 || frame < frames); frame++) {
        double began = screen_seconds();
        take_keys(&k, f);
        good = keys_play(&k, f, 1.0 / 30);
        show(&s, &p, f, &k);
        double rest = began + 1.0 / 30 - screen_seconds();
        SDL_Delay(rest > 0 ? (Uint32)(rest * 1000) : 0);
    }
    close_stage(&s);
    picture_free(&p);
    return good;
}
