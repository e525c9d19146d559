import JSON
import Texts

/// A file of display strings in `Fixtures/data`: a JSON object whose sections are lists of records.
///
/// A record is an object whose values are strings or lists of strings. The reader rejects anything else and reports
/// each mistake with its line; the records' readers validate the strings.
struct DataFile {
    struct Section {
        let name: String
        let line: Int
        let records: [Record]
    }

    struct Record {
        let line: Int
        fileprivate let members: [(key: String, value: JSONValue)]
    }

    let path: String
    private(set) var sections: [Section] = []
    /// The mistakes as sentences, each with its path and line; a file with mistakes is not used.
    private(set) var mistakes: [String] = []

    /// Reads an embedded file and converts it into a value; crashes on a mistake.
    static func embedded<Value>(_ path: String, _ make: (inout DataFile) -> Value) -> Value {
        let text = EmbeddedText(path: path)
        var file = DataFile(UnsafeBufferPointer(start: text.start, count: text.count), path: path)
        let value = make(&file)
        precondition(file.mistakes.isEmpty, file.mistakes.first ?? "")
        return value
    }

    init(_ bytes: UnsafeBufferPointer<UInt8>, path: String) {
        self.path = path
        do throws(JSONError) {
            var places = Places(of: bytes)
            readSections(try JSON.parse(bytes), &places)
        } catch {
            refuse(error.message, at: error.line)
        }
    }

    mutating func refuse(_ message: String, at line: Int) { mistakes.append("\(path):\(line): \(message)") }

    // MARK: Reading a record

    mutating func check(sections names: [String]) {
        guard mistakes.isEmpty, sections.map(\.name) != names else { return }
        refuse("the sections must be \(names.joined(separator: ", "))", at: 1)
    }

    mutating func check(_ record: Record, keys: [String]) {
        for (key, _) in record.members where !keys.contains(key) {
            refuse("there is no key \"\(key)\"; the keys are \(keys.joined(separator: ", "))", at: record.line)
        }
    }

    /// The trimmed string for a key; a missing or empty string is a mistake and yields "".
    mutating func text(_ key: String, of record: Record) -> String {
        if let text = optionalText(key, of: record) { return text }
        refuse("\(key) is missing", at: record.line)
        return ""
    }

    mutating func optionalText(_ key: String, of record: Record) -> String? {
        guard let value = record.members.first(where: { $0.key == key })?.value else { return nil }
        let text = value.string ?? ""
        if text.isEmpty || text.first?.isWhitespace == true || text.last?.isWhitespace == true {
            refuse("\(key) must be a string without leading or trailing white space", at: record.line)
        }
        return text
    }

    mutating func texts(_ key: String, of record: Record) -> [String] {
        guard let list = record.members.first(where: { $0.key == key })?.value.array else {
            refuse("\(key) must be a list of strings", at: record.line)
            return []
        }
        return list.map { $0.string ?? "" }
    }

    // MARK: Reading

    private mutating func readSections(_ value: JSONValue, _ places: inout Places) {
        let place = places.next()
        guard case .object(let members) = value else {
            return refuse("the file must be an object of sections", at: place.line)
        }
        guard members.count == place.members else { return refuse("two sections have the same name", at: place.line) }
        for (name, value) in members {
            let place = places.next()
            guard case .array(let elements) = value else {
                return refuse("the section \(name) must be a list of objects", at: place.line)
            }
            var records: [Record] = []
            for element in elements {
                guard let record = record(element, &places) else { return }
                records.append(record)
            }
            sections.append(Section(name: name, line: place.line, records: records))
        }
    }

    private mutating func record(_ value: JSONValue, _ places: inout Places) -> Record? {
        let place = places.next()
        guard case .object(let object) = value, object.count == place.members else {
            refuse("a record must be an object in which each key appears only once", at: place.line)
            return nil
        }
        for (key, value) in object {
            let place = places.next()
            let texts = value.array ?? [value]
            for text in texts {
                let place = value.array == nil ? place : places.next()
                guard case .string = text else {
                    refuse("\(key) must be a string or a list of strings", at: place.line)
                    return nil
                }
            }
        }
        return Record(line: place.line, members: Array(object))
    }
}

/// The positions of the values in a valid JSON text, each before its nested values.
private struct Places {
    /// The line where a value begins and, for an object, the number of members.
    typealias Place = (line: Int, members: Int)

    private var places: [Place] = []
    private var taken = 0

    mutating func next() -> Place {
        defer { taken += 1 }
        return taken < places.count ? places[taken] : (places.last?.line ?? 1, 0)
    }

    init(of bytes: UnsafeBufferPointer<UInt8>) {
        var line = 1
        /// The objects and lists that enclose the current byte; nil stands for a list.
        var around: [Int?] = []
        var isKeyNext = false
        var isInScalar = false
        var string: (isOpen: Bool, isEscaped: Bool) = (false, false)
        for byte in bytes {
            if string.isOpen {
                if byte == UInt8(ascii: "\""), !string.isEscaped { string.isOpen = false }
                string.isEscaped = byte == UInt8(ascii: "\\") && !string.isEscaped
                continue
            }
            switch byte {
            case UInt8(ascii: "\n"):
                line += 1
                isInScalar = false
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"): isInScalar = false
            case UInt8(ascii: ":"):
                if case let object?? = around.last { places[object].members += 1 }
                isKeyNext = false
            case UInt8(ascii: ","):
                if case .some(.some) = around.last { isKeyNext = true }
                isInScalar = false
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                _ = around.popLast()
                isKeyNext = false
                isInScalar = false
            case UInt8(ascii: "\""):
                string = (true, false)
                if !isKeyNext { places.append((line, 0)) }
            default:
                if !isInScalar { places.append((line, 0)) }
                let isObject = byte == UInt8(ascii: "{")
                let isContainer = isObject || byte == UInt8(ascii: "[")
                if isContainer { around.append(isObject ? places.count - 1 : nil) }
                isKeyNext = isObject
                isInScalar = !isContainer
            }
        }
    }
}
