import FitIQAPI
import FitIQBackend
import JSON
import Text

/// Reads or writes an object's members, so that code names each member once for both.
///
/// Members are written in the order of the calls. A member that a file omits keeps its value.
struct MemberCoder {
    /// What is read; nil if the coder writes.
    let fields: Fields?
    /// The goals that members may refer to.
    let goals: GoalTable
    var writer = JSONWriter()
    /// False once a required member was missing or invalid, which has been reported.
    private(set) var isComplete = true
    var isWriting: Bool { fields == nil }

    /// A member that is always written.
    mutating func member<Value>(_ name: StaticString, _ value: inout Value, _ form: MemberForm<Value>) {
        guard let fields else { return write(name, value, form) }
        value = fields[name.description].flatMap(form.read) ?? value
    }

    /// A member that is written unless it is nil.
    mutating func member<Value>(_ name: StaticString, _ value: inout Value?, _ form: MemberForm<Value>) {
        if let fields {
            value = fields[name.description].flatMap(form.read) ?? value
        } else if let value {
            write(name, value, form)
        }
    }

    /// A member that is written unless it has its usual value.
    mutating func member<Value: Equatable>(
        _ name: StaticString, _ value: inout Value, _ form: MemberForm<Value>, unless usual: Value
    ) { if !isWriting || value != usual { member(name, &value, form) } }

    /// A member that files must have; the report of a missing one says what it is.
    mutating func required<Value>(
        _ name: StaticString, _ value: inout Value, _ form: MemberForm<Value>, _ expected: @autoclosure () -> String
    ) {
        guard let fields else { return write(name, value, form) }
        if let read = fields.required(name.description, expected()).flatMap(form.read) {
            value = read
        } else {
            isComplete = false
        }
    }

    private mutating func write<Value>(_ name: StaticString, _ value: Value, _ form: MemberForm<Value>) {
        writer.key(name)
        form.write(&writer, value)
    }
}

/// A value whose members a ``MemberCoder`` reads and writes.
protocol Coded { mutating func code(_ coder: inout MemberCoder) }

extension Coded {
    /// Reads the members; false if a required one is missing or invalid.
    @discardableResult
    mutating func read(_ fields: Fields, goals: GoalTable = GoalTable()) -> Bool {
        var coder = MemberCoder(fields: fields, goals: goals)
        code(&coder)
        return coder.isComplete
    }

    /// The value with the members of a mapping; nil if it is not a mapping, or a required member is missing or invalid.
    func reading(_ cursor: Cursor, as kind: ObjectKind) -> Self? {
        var value = self
        return Fields(cursor, as: kind).flatMap { value.read($0) ? value : nil }
    }

    /// Writes the members into the open object.
    func write(into writer: inout JSONWriter) {
        var (copy, coder) = (self, MemberCoder(fields: nil, goals: GoalTable()))
        swap(&coder.writer, &writer)
        copy.code(&coder)
        swap(&coder.writer, &writer)
    }
}

/// How a value is read, or reported as invalid, and how it is written.
struct MemberForm<Value> {
    let read: (Cursor) -> Value?
    let write: (inout JSONWriter, Value) -> Void

    static func text(_ lengths: ClosedRange<Int>) -> Self where Value == String { string { $0.text(lengths) } }
    static func string(_ read: @escaping (Cursor) -> String?) -> Self where Value == String {
        Self(read: read) { $0.value($1) }
    }
    /// A rule's text, which is escaped for YAML.
    static func rule(_ read: @escaping (Cursor) -> String?) -> Self where Value == String {
        Self(read: read) { $0.value(forYAML: $1) }
    }
    static func exactText(_ lengths: ClosedRange<Int>) -> Self where Value == ExactString {
        Self(read: { $0.exactText(lengths) }, write: { $0.value($1.text) })
    }
    static func integer(_ range: ClosedRange<Int>) -> Self where Value == Int {
        Self(read: { $0.integer(range) }, write: { $0.value($1) })
    }
    static func double(_ range: ClosedRange<Double>) -> Self where Value == Double {
        Self(read: { $0.double(range) }, write: { $0.value($1) })
    }
    static func flag() -> Self where Value == Bool { Self(read: { $0.flag() }, write: { $0.value($1) }) }
    /// - Parameter lengths: The characters of each text.
    static func texts(limit: Int, _ lengths: ClosedRange<Int>) -> Self where Value == [String] {
        Self(read: { $0.elements(limit: limit, of: "strings")?.compactMap { $0.text(lengths) } }) { writer, texts in
            writer.array { array in for text in texts { array.value(text) } }
        }
    }
    /// `true`, or omitted.
    static func isTrue() -> Self where Value == Bool { Self(read: { $0.isTrue() }, write: { $0.value($1) }) }
    static func choice() -> Self where Value: RawRepresentable<String> & CaseIterable {
        Self(read: { $0.choice(of: Value.self) }, write: { $0.value($1.rawValue) })
    }
    static func id() -> Self where Value == ResourceID { Self(read: { $0.resourceID() }, write: { $0.value($1) }) }
    static func date() -> Self where Value == DateTime { Self(read: { $0.date() }, write: { $0.value($1.dateText) }) }
    static func dateTime() -> Self where Value == DateTime { Self(read: { $0.dateTime() }, write: { $0.value($1) }) }
    static func duration(_ range: ClosedRange<Int64>) -> Self where Value == Int64 {
        Self(read: { $0.duration(range) }, write: { $0.value(Durations.whole($1, largest: .hours)) })
    }
    static func time() -> Self where Value == DataTime { Self(read: { $0.dataTime() }, write: { $0.value($1.text) }) }
    /// - Parameter usual: Supplies the values of omitted members.
    static func object(_ usual: Value, as kind: ObjectKind) -> Self where Value: Coded {
        Self(read: { usual.reading($0, as: kind) }) { writer, value in writer.object(value.write) }
    }
    /// A list of objects with a line for each.
    static func lines<Element: Coded>(
        limit: Int, of what: String, _ read: @escaping (Cursor) -> Element?
    ) -> Self where Value == [Element] {
        Self(read: { $0.elements(limit: limit, of: what)?.compactMap(read) }) { writer, elements in
            writer.lines(elements) { $1.write(into: &$0) }
        }
    }
}

extension DataTime {
    /// The time to the nanosecond, or a duration before the world's start.
    var text: String {
        switch self {
        case .at(let time): time.preciseText
        case .before(let nanoseconds): "\(nanoseconds)ns ago"
        }
    }
}
