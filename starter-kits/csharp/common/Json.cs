using System;
using System.Collections;
using System.Collections.Generic;
using System.Globalization;
using System.Linq.Expressions;
using System.Reflection;
using System.Text;

/// <summary>
/// JSON to objects and back, so that the kit needs no library and works with Mono, too.
///
/// The public field EnergyMinSplit of a class is the key energy_min_split. Keys that the class does not have are
/// skipped, fields without a key are null or 0, and null is not written. Fields may be objects, arrays, strings, enums,
/// int, long, ulong, bool and their nullable forms; of type object they become dictionaries, arrays, strings and
/// numbers. JsonName says how a value of an enum is written.
/// </summary>
public sealed class Json
{
    private readonly string text;
    private int at;

    private Json(string text)
    {
        this.text = text;
    }

    /// <summary>Reads a value; throws FormatException where the text is none of that type.</summary>
    public static T Read<T>(string text)
    {
        return (T)Read(text, typeof(T));
    }

    public static object Read(string text, Type type)
    {
        var json = new Json(text);
        object value = json.Value(type);
        if (json.Peek() != 0) throw json.Error("more text");
        return value;
    }

    /// <summary>The string at a key of an object, or null if there is none; reads no further than that.</summary>
    public static string StringAt(string text, string key)
    {
        var json = new Json(text);
        json.Expect('{');
        for (bool more = !json.Skip('}'); more; more = json.Skip(',') || !json.Closed('}'))
        {
            bool found = json.Text() == key;
            json.Expect(':');
            if (found) return json.Text();
            json.Pass();
        }
        return null;
    }

    /// <summary>Writes objects, dictionaries, arrays, strings, numbers, bool and null.</summary>
    public static string Write(object value)
    {
        var output = new StringBuilder();
        Write(value, output);
        return output.ToString();
    }

    private object Value(Type type)
    {
        char next = Peek();
        if (next == 'n') return Word("null", null);
        if (type == typeof(int) || type == typeof(int?)) return checked((int)Whole());
        if (type == typeof(long) || type == typeof(long?)) return Whole();
        if (type == typeof(ulong) || type == typeof(ulong?)) return ulong.Parse(Digits(), CultureInfo.InvariantCulture);
        if (type == typeof(bool) || type == typeof(bool?)) return Bool(next);
        if (type == typeof(string)) return Text();
        if (type == typeof(int[])) return Ints();
        if (type.IsArray) return Items(type.GetElementType());
        if (type == typeof(object)) return Any(next);
        Type plain = Nullable.GetUnderlyingType(type) ?? type;
        if (plain.IsEnum) return Constant(plain);
        return Object(Shape.Of(type));
    }

    private object Constant(Type type)
    {
        object value;
        string word = Text();
        if (!Words.Of(type).Values.TryGetValue(word, out value)) throw Error("no " + type.Name + " is " + word);
        return value;
    }

    private object Any(char next)
    {
        switch (next)
        {
            case '{': return Dictionary();
            case '[': return Items(typeof(object));
            case '"': return Text();
            case 't':
            case 'f': return Bool(next);
            default: return Number();
        }
    }

    private object Object(Shape shape)
    {
        object result = Activator.CreateInstance(shape.Type);
        Expect('{');
        for (bool more = !Skip('}'); more; more = Skip(',') || !Closed('}'))
        {
            string key = Text();
            Expect(':');
            Field field;
            if (!shape.Fields.TryGetValue(key, out field)) Pass();
            else if (Peek() != 'n') field.Set(result, Value(field.Type));
            else Word("null", null);
        }
        return result;
    }

    private SortedDictionary<string, object> Dictionary()
    {
        var result = new SortedDictionary<string, object>(StringComparer.Ordinal);
        Expect('{');
        for (bool more = !Skip('}'); more; more = Skip(',') || !Closed('}'))
        {
            string key = Text();
            Expect(':');
            result[key] = Value(typeof(object));
        }
        return result;
    }

    private Array Items(Type type)
    {
        var items = new ArrayList();
        Expect('[');
        for (bool more = !Skip(']'); more; more = Skip(',') || !Closed(']')) items.Add(Value(type));
        return items.ToArray(type);
    }

    private int[] Ints()
    {
        var ints = new List<int>();
        Expect('[');
        for (bool more = !Skip(']'); more; more = Skip(',') || !Closed(']')) ints.Add(checked((int)Whole()));
        return ints.ToArray();
    }

    /// <summary>Passes over a value.</summary>
    private void Pass()
    {
        int depth = 0;
        do
        {
            char next = Peek();
            if (next == '"')
            {
                at++;
                for (char inside = Character(); inside != '"'; inside = Character())
                {
                    if (inside == '\\') at++;
                }
            }
            else
            {
                depth += next == '{' || next == '[' ? 1 : next == '}' || next == ']' ? -1 : 0;
                Character();
            }
        } while (depth > 0 || (Peek() != ',' && Peek() != '}' && Peek() != 0));
    }

    private long Whole()
    {
        bool negative = Peek() == '-';
        int first = negative ? at + 1 : at;
        int end = first;
        long value = 0;
        for (; end < text.Length && text[end] >= '0' && text[end] <= '9'; end++)
        {
            value = checked(10 * value + (text[end] - '0'));
        }
        if (end == first) throw Error("no whole number");
        at = end;
        return negative ? -value : value;
    }

    private object Number()
    {
        string digits = Digits();
        long whole;
        if (long.TryParse(digits, NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out whole)) return whole;
        double number;
        if (double.TryParse(digits, NumberStyles.Float, CultureInfo.InvariantCulture, out number)) return number;
        throw Error("no value");
    }

    private string Digits()
    {
        Peek();
        int begin = at;
        while (at < text.Length && "+-.eE0123456789".IndexOf(text[at]) >= 0) at++;
        return text.Substring(begin, at - begin);
    }

    private string Text()
    {
        Expect('"');
        int begin = at;
        while (at < text.Length && text[at] != '"' && text[at] != '\\') at++;
        string plain = text.Substring(begin, at - begin);
        if (at < text.Length && text[at] == '"')
        {
            at++;
            return plain;
        }
        var result = new StringBuilder(plain);
        for (char next = Character(); next != '"'; next = Character()) result.Append(next == '\\' ? Escaped() : next);
        return result.ToString();
    }

    private char Escaped()
    {
        char escape = Character();
        int index = "\"\\/bfnrt".IndexOf(escape);
        if (index >= 0) return "\"\\/\b\f\n\r\t"[index];
        if (escape != 'u' || at + 4 > text.Length) throw Error("no escape");
        at += 4;
        return (char)Convert.ToUInt16(text.Substring(at - 4, 4), 16);
    }

    private char Character()
    {
        if (at >= text.Length) throw Error("no end");
        return text[at++];
    }

    /// <summary>The next character behind blanks, which is not taken; 0 at the end.</summary>
    private char Peek()
    {
        // A local variable is faster than the field.
        int here = at;
        while (here < text.Length && text[here] <= ' ') here++;
        at = here;
        return here < text.Length ? text[here] : '\0';
    }

    private bool Skip(char wanted)
    {
        if (Peek() != wanted) return false;
        at++;
        return true;
    }

    private bool Closed(char wanted)
    {
        Expect(wanted);
        return true;
    }

    private void Expect(char wanted)
    {
        if (!Skip(wanted)) throw Error("no " + wanted);
    }

    private object Bool(char next)
    {
        return next == 't' ? Word("true", true) : Word("false", false);
    }

    private object Word(string word, object meaning)
    {
        if (string.CompareOrdinal(text, at, word, 0, word.Length) != 0) throw Error("no " + word);
        at += word.Length;
        return meaning;
    }

    private FormatException Error(string what)
    {
        int begin = Math.Max(0, Math.Min(at, text.Length) - 30);
        string near = text.Substring(begin, Math.Min(60, text.Length - begin));
        return new FormatException(what + " at character " + at + ", in: " + near);
    }

    private static void Write(object value, StringBuilder output)
    {
        if (value == null) output.Append("null");
        else if (value is string) Quote((string)value, output);
        else if (value is Enum) Quote(Words.Of(value.GetType()).Texts[value], output);
        else if (value is bool) output.Append((bool)value ? "true" : "false");
        else if (value is IDictionary<string, object>) WriteFields((IDictionary<string, object>)value, output);
        else if (value is Array) WriteItems((Array)value, output);
        else if (value.GetType().IsPrimitive) output.Append(Convert.ToString(value, CultureInfo.InvariantCulture));
        else WriteFields(Shape.Of(value.GetType()).Values(value), output);
    }

    private static void WriteFields(IEnumerable<KeyValuePair<string, object>> fields, StringBuilder output)
    {
        char between = '{';
        foreach (KeyValuePair<string, object> field in fields)
        {
            output.Append(between);
            Quote(field.Key, output);
            output.Append(':');
            Write(field.Value, output);
            between = ',';
        }
        output.Append(between == '{' ? "{}" : "}");
    }

    private static void WriteItems(Array items, StringBuilder output)
    {
        char between = '[';
        foreach (object item in items)
        {
            output.Append(between);
            Write(item, output);
            between = ',';
        }
        output.Append(between == '[' ? "[]" : "]");
    }

    private static void Quote(string value, StringBuilder output)
    {
        output.Append('"');
        foreach (char next in value)
        {
            if (next == '"' || next == '\\') output.Append('\\').Append(next);
            else if (next < ' ') output.Append("\\u").Append(((int)next).ToString("x4"));
            else output.Append(next);
        }
        output.Append('"');
    }

    /// <summary>What the values of an enum are in JSON.</summary>
    private sealed class Words
    {
        private static readonly Dictionary<Type, Words> Known = new Dictionary<Type, Words>();

        public readonly Dictionary<string, object> Values = new Dictionary<string, object>();
        public readonly Dictionary<object, string> Texts = new Dictionary<object, string>();

        public static Words Of(Type type)
        {
            lock (Known)
            {
                Words words;
                if (!Known.TryGetValue(type, out words)) Known[type] = words = new Words(type);
                return words;
            }
        }

        private Words(Type type)
        {
            foreach (FieldInfo field in type.GetFields(BindingFlags.Public | BindingFlags.Static))
            {
                var name = (JsonNameAttribute)Attribute.GetCustomAttribute(field, typeof(JsonNameAttribute));
                object value = field.GetValue(null);
                string text = name == null ? field.Name : name.Text;
                Values[text] = value;
                Texts[value] = text;
            }
        }
    }

    /// <summary>What is known of a class.</summary>
    private sealed class Shape
    {
        private static readonly Dictionary<Type, Shape> Known = new Dictionary<Type, Shape>();

        public readonly Type Type;
        public readonly Dictionary<string, Field> Fields = new Dictionary<string, Field>();
        private readonly List<string> keys = new List<string>();

        public static Shape Of(Type type)
        {
            lock (Known)
            {
                Shape shape;
                if (!Known.TryGetValue(type, out shape)) Known[type] = shape = new Shape(type);
                return shape;
            }
        }

        private Shape(Type type)
        {
            Type = type;
            foreach (FieldInfo field in type.GetFields(BindingFlags.Public | BindingFlags.Instance))
            {
                string key = Key(field.Name);
                keys.Add(key);
                Fields[key] = new Field(field);
            }
        }

        /// <summary>EnergyMinSplit becomes energy_min_split.</summary>
        private static string Key(string name)
        {
            var key = new StringBuilder();
            foreach (char next in name)
            {
                if (char.IsUpper(next) && key.Length > 0) key.Append('_');
                key.Append(char.ToLowerInvariant(next));
            }
            return key.ToString();
        }

        public IEnumerable<KeyValuePair<string, object>> Values(object from)
        {
            foreach (string key in keys)
            {
                object value = Fields[key].Get(from);
                if (value != null) yield return new KeyValuePair<string, object>(key, value);
            }
        }
    }

    /// <summary>A field of a class. Compiled access is several times as fast as that of FieldInfo.</summary>
    private sealed class Field
    {
        public readonly Type Type;
        public readonly Func<object, object> Get;
        public readonly Action<object, object> Set;

        public Field(FieldInfo field)
        {
            Type = field.FieldType;
            ParameterExpression target = Expression.Parameter(typeof(object));
            ParameterExpression value = Expression.Parameter(typeof(object));
            MemberExpression access = Expression.Field(Expression.Convert(target, field.DeclaringType), field);
            Get = Expression.Lambda<Func<object, object>>(Expression.Convert(access, typeof(object)), target).Compile();
            Expression assign = Expression.Assign(access, Expression.Convert(value, Type));
            Set = Expression.Lambda<Action<object, object>>(assign, target, value).Compile();
        }
    }
}

/// <summary>How a value of an enum is written.</summary>
[AttributeUsage(AttributeTargets.Field)]
public sealed class JsonNameAttribute : Attribute
{
    public readonly string Text;

    public JsonNameAttribute(string text)
    {
        Text = text;
    }
}
