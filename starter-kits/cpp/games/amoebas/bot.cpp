// A bot for amoebas that makes random moves: each amoeba rests, or does what it can in a random direction.
#include "agon/amoebas.h"
#include "random.hpp"
#include "start.hpp"

namespace {

Random random_numbers;

// The settings of the match that the bot needs.
struct Settings {
    std::uint64_t move_energy, hit_energy, min_divide_energy;
};
Settings settings{};

// What one amoeba does. Change this. An amoeba that is to remember something must say so in each answer:
//     answer.data = agon_append(answers, &written, bytes, count);
amoebas_answer decide(const amoebas_question &me, void * /* answers */, std::uint32_t & /* written */) noexcept
{
    amoebas_answer answer{};
    answer.action = AMOEBAS_REST;
    answer.dir = static_cast<std::uint8_t>(random_numbers.below(8));
    const auto &there = *amoebas_cell_at(&me, amoebas_dx(answer.dir), amoebas_dy(answer.dir));
    if (there.occupant != 0) {
        const bool enemy = there.occupant != me.species + 1; // 0 is nobody, else it is the species plus one
        if (enemy && me.energy >= settings.hit_energy)
            answer.action = AMOEBAS_HIT;
    } else if (me.energy >= settings.min_divide_energy && random_numbers.percent(20)) {
        answer.action = AMOEBAS_DIVIDE;
    } else if (me.energy >= settings.move_energy && random_numbers.percent(30)) {
        answer.action = AMOEBAS_MOVE;
    }
    return answer;
}

} // namespace

std::uint32_t agon_abi() { return AGON_ABI; }

void agon_start(const char *text, std::uint32_t length)
{
    const std::string_view message(text, length);
    random_numbers.seed(start_number(message, "seed"));
    settings = {start_number(message, "move_energy"), start_number(message, "hit_energy"),
                start_number(message, "min_divide_energy")};
}

std::uint32_t agon_decide(const void *question, std::uint32_t, void *answers, std::uint32_t)
{
    const auto count = static_cast<const agon_question *>(question)->decisions;
    auto *answer = static_cast<amoebas_answer *>(answers);
    auto written = count * static_cast<std::uint32_t>(sizeof *answer);
    for (std::uint32_t i = 0; i < count; i++)
        answer[i] = decide(*amoebas_question_at(question, i), answers, written);
    return written;
}
