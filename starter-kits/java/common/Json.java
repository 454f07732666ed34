import java.lang.reflect.Array;
import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

/**
 * JSON to records and back, so that the kit needs no library.
 *
 * <p>The component {@code energyMinSplit} of a record is the key {@code energy_min_split}. Keys that the record
 * does not have are skipped, components without a key are null or 0, and null is not written. Components may be
 * records, lists, arrays, strings, enums, int, long, boolean and their boxes; of type Object they become maps,
 * lists, strings, numbers. The constants of an enum are written as their toString says.
 */
final class Json {
    private final String text;
    private int at = 0;

    private Json(String text) {
        this.text = text;
    }

    /** Reads a value; throws IllegalArgumentException where the text is none of that type. */
    static <T> T read(String text, Class<T> type) {
        Json json = new Json(text);
        Object value = json.value(type);
        if (json.peek() != 0) {
            throw json.error("more text");
        }
        @SuppressWarnings("unchecked")
        T result = (T) value;
        return result;
    }

    /** The string at a key of an object, or null if there is none; reads no further than that. */
    static String stringAt(String text, String key) {
        Json json = new Json(text);
        json.expect('{');
        for (boolean more = !json.skip('}'); more; more = json.skip(',') || !json.closed('}')) {
            boolean found = json.string().equals(key);
            json.expect(':');
            if (found) {
                return json.string();
            }
            json.pass();
        }
        return null;
    }

    /** Writes records, maps, lists, arrays, strings, numbers, booleans and null. */
    static String write(Object value) {
        StringBuilder out = new StringBuilder();
        write(value, out);
        return out.toString();
    }

    private Object value(Type type) {
        char next = peek();
        if (next == 'n') {
            return word("null", null);
        }
        if (type == int.class || type == Integer.class) {
            return Math.toIntExact(whole());
        }
        if (type == long.class || type == Long.class) {
            return whole();
        }
        if (type == String.class) {
            return string();
        }
        if (type == boolean.class || type == Boolean.class) {
            return next == 't' ? word("true", true) : word("false", false);
        }
        if (type == int[].class) {
            return ints();
        }
        if (type instanceof ParameterizedType list && list.getRawType() == List.class) {
            return list(list.getActualTypeArguments()[0]);
        }
        if (type instanceof Class<?> record && record.isRecord()) {
            return record(Shape.of(record));
        }
        if (type instanceof Class<?> words && words.isEnum()) {
            return constant(words);
        }
        if (type instanceof Class<?> array && array.isArray()) {
            List<Object> items = list(array.getComponentType());
            Object result = Array.newInstance(array.getComponentType(), items.size());
            for (int index = 0; index < items.size(); index++) {
                Array.set(result, index, items.get(index));
            }
            return result;
        }
        if (type == Object.class) {
            return any(next);
        }
        throw new IllegalArgumentException("no JSON for " + type);
    }

    private Object constant(Class<?> type) {
        String word = string();
        for (Object constant : type.getEnumConstants()) {
            if (constant.toString().equals(word)) {
                return constant;
            }
        }
        throw error("no " + type.getSimpleName());
    }

    private Object any(char next) {
        return switch (next) {
            case '{' -> map();
            case '[' -> list(Object.class);
            case '"' -> string();
            case 't' -> word("true", true);
            case 'f' -> word("false", false);
            default -> number();
        };
    }

    private Object record(Shape shape) {
        Object[] values = shape.defaults.clone();
        expect('{');
        for (boolean more = !skip('}'); more; more = skip(',') || !closed('}')) {
            Integer index = shape.indices.get(string());
            expect(':');
            if (index == null) {
                pass();
            } else {
                values[index] = value(shape.types[index]);
            }
        }
        return shape.make(values);
    }

    /** Passes over a value. */
    private void pass() {
        int depth = 0;
        do {
            char next = peek();
            if (next == '"') {
                at++;
                while (character() != '"') {
                    at += text.charAt(at - 1) == '\\' ? 1 : 0;
                }
            } else {
                depth += next == '{' || next == '[' ? 1 : next == '}' || next == ']' ? -1 : 0;
                character();
            }
        } while (depth > 0 || peek() != ',' && peek() != '}' && peek() != 0);
    }

    private Map<String, Object> map() {
        Map<String, Object> map = new TreeMap<>();
        expect('{');
        for (boolean more = !skip('}'); more; more = skip(',') || !closed('}')) {
            String key = string();
            expect(':');
            map.put(key, value(Object.class));
        }
        return map;
    }

    private List<Object> list(Type type) {
        List<Object> list = new ArrayList<>();
        expect('[');
        for (boolean more = !skip(']'); more; more = skip(',') || !closed(']')) {
            list.add(value(type));
        }
        return list;
    }

    private int[] ints() {
        int[] ints = new int[16];
        int length = 0;
        expect('[');
        for (boolean more = !skip(']'); more; more = skip(',') || !closed(']')) {
            if (length == ints.length) {
                ints = Arrays.copyOf(ints, 2 * length);
            }
            ints[length++] = Math.toIntExact(whole());
        }
        return Arrays.copyOf(ints, length);
    }

    private long whole() {
        char first = peek();
        int begin = at;
        at++;
        while (at < text.length() && text.charAt(at) >= '0' && text.charAt(at) <= '9') {
            at++;
        }
        if (at == begin + 1 && first >= '0' && first <= '9') {
            return first - '0';
        }
        try {
            return Long.parseLong(text, begin, at, 10);
        } catch (NumberFormatException wrong) {
            at = begin;
            throw error("no whole number");
        }
    }

    private Object number() {
        int begin = at;
        while (at < text.length() && "+-.eE0123456789".indexOf(text.charAt(at)) >= 0) {
            at++;
        }
        String digits = text.substring(begin, at);
        try {
            return digits.matches("-?[0-9]{1,18}") ? (Object) Long.valueOf(digits) : (Object) Double.valueOf(digits);
        } catch (NumberFormatException wrong) {
            at = begin;
            throw error("no value");
        }
    }

    private String string() {
        expect('"');
        int end = at;
        while (end < text.length() && text.charAt(end) != '"' && text.charAt(end) != '\\') {
            end++;
        }
        StringBuilder out = new StringBuilder(text.substring(at, end));
        at = end;
        while (character() != '"') {
            char next = text.charAt(at - 1);
            out.append(next == '\\' ? escaped() : next);
        }
        return out.toString();
    }

    private char escaped() {
        char escape = character();
        int index = "\"\\/bfnrt".indexOf(escape);
        if (index >= 0) {
            return "\"\\/\b\f\n\r\t".charAt(index);
        }
        if (escape != 'u' || at + 4 > text.length()) {
            throw error("no escape");
        }
        at += 4;
        return (char) Integer.parseInt(text, at - 4, at, 16);
    }

    private char character() {
        if (at == text.length()) {
            throw error("no end");
        }
        return text.charAt(at++);
    }

    /** The next character behind blanks, which is not taken; 0 at the end. */
    private char peek() {
        while (at < text.length() && text.charAt(at) <= ' ') {
            at++;
        }
        return at < text.length() ? text.charAt(at) : 0;
    }

    private boolean skip(char wanted) {
        boolean found = peek() == wanted;
        at += found ? 1 : 0;
        return found;
    }

    private boolean closed(char wanted) {
        expect(wanted);
        return true;
    }

    private void expect(char wanted) {
        if (!skip(wanted)) {
            throw error("no " + wanted);
        }
    }

    private <T> T word(String word, T meaning) {
        if (!text.startsWith(word, at)) {
            throw error("no " + word);
        }
        at += word.length();
        return meaning;
    }

    private IllegalArgumentException error(String what) {
        String near = text.substring(Math.max(0, at - 30), Math.min(text.length(), at + 30));
        return new IllegalArgumentException(what + " at character " + at + ", in: " + near);
    }

    private static void write(Object value, StringBuilder out) {
        if (value instanceof String || value instanceof Enum<?>) {
            quote(value.toString(), out);
        } else if (value instanceof Record record) {
            Shape shape = Shape.of(record.getClass());
            Map<String, Object> map = new LinkedHashMap<>();
            for (int index = 0; index < shape.keys.length; index++) {
                map.put(shape.keys[index], shape.get(record, index));
            }
            map.values().removeIf(Objects::isNull);
            write(map, out);
        } else if (value instanceof Map<?, ?> map) {
            String between = "{";
            for (Map.Entry<?, ?> entry : map.entrySet()) {
                out.append(between);
                quote((String) entry.getKey(), out);
                out.append(':');
                write(entry.getValue(), out);
                between = ",";
            }
            out.append(map.isEmpty() ? "{}" : "}");
        } else if (value instanceof List<?> list) {
            out.append('[');
            for (int index = 0; index < list.size(); index++) {
                out.append(index == 0 ? "" : ",");
                write(list.get(index), out);
            }
            out.append(']');
        } else if (value != null && value.getClass().isArray()) {
            List<Object> list = new ArrayList<>();
            for (int index = 0; index < Array.getLength(value); index++) {
                list.add(Array.get(value, index));
            }
            write(list, out);
        } else {
            out.append(value);
        }
    }

    private static void quote(String string, StringBuilder out) {
        out.append('"');
        for (int index = 0; index < string.length(); index++) {
            char next = string.charAt(index);
            if (next == '"' || next == '\\') {
                out.append('\\').append(next);
            } else if (next < ' ') {
                out.append(String.format("\\u%04x", (int) next));
            } else {
                out.append(next);
            }
        }
        out.append('"');
    }

    /** What is known of a record type. */
    private static final class Shape {
        private static final Map<Class<?>, Shape> KNOWN = new ConcurrentHashMap<>();

        final String[] keys;
        final Map<String, Integer> indices = new HashMap<>();
        final Type[] types;
        final Object[] defaults;
        private final Constructor<?> constructor;
        private final Method[] accessors;

        static Shape of(Class<?> type) {
            Shape shape = KNOWN.get(type);
            if (shape == null) {
                // Not computeIfAbsent: that would be slower where the shape is known, as it nearly always is.
                shape = new Shape(type);
                KNOWN.put(type, shape);
            }
            return shape;
        }

        private Shape(Class<?> type) {
            RecordComponent[] components = type.getRecordComponents();
            keys = new String[components.length];
            types = new Type[components.length];
            defaults = new Object[components.length];
            accessors = new Method[components.length];
            Class<?>[] parameters = new Class<?>[components.length];
            for (int index = 0; index < components.length; index++) {
                RecordComponent component = components[index];
                keys[index] = component.getName().replaceAll("([A-Z])", "_$1").toLowerCase(Locale.ROOT);
                indices.put(keys[index], index);
                types[index] = component.getGenericType();
                parameters[index] = component.getType();
                // The element of a new array is what a component without a key is: null, 0 or false.
                defaults[index] = Array.get(Array.newInstance(component.getType(), 1), 0);
                accessors[index] = component.getAccessor();
                accessors[index].setAccessible(true);
            }
            try {
                constructor = type.getDeclaredConstructor(parameters);
            } catch (NoSuchMethodException impossible) {
                throw new IllegalStateException(impossible);
            }
            constructor.setAccessible(true);
        }

        Object make(Object[] values) {
            try {
                return constructor.newInstance(values);
            } catch (ReflectiveOperationException | IllegalArgumentException wrong) {
                throw new IllegalArgumentException("no " + constructor.getDeclaringClass().getName(), wrong);
            }
        }

        Object get(Object record, int index) {
            try {
                return accessors[index].invoke(record);
            } catch (ReflectiveOperationException wrong) {
                throw new IllegalStateException(wrong);
            }
        }
    }
}
