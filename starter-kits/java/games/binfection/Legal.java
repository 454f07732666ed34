import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Tells what is wrong with a reply; null: nothing. */
final class Legal {
    static String problem(Game.Start start, Game.Observation seen, Game.Reply reply) {
        Set<List<Integer>> own = new HashSet<>();
        for (Game.SeenCell cell : seen.cells()) {
            if (cell.owner() == start.player()) {
                own.add(List.of(cell.x(), cell.y()));
            }
        }
        for (Game.Move move : reply.moves()) {
            if (move.direction() < 0 || move.direction() > 3) {
                return "directions are 0 to 3";
            }
            if (!own.remove(List.of(move.x(), move.y()))) {
                return "that is no own cell, or moved twice";
            }
            int[] way = Bot.WAYS[move.direction()];
            if (!Bot.onField(start.rules(), move.x() + way[0], move.y() + way[1])) {
                return "that leads off the field";
            }
        }
        return null;
    }
}
