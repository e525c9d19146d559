import FitIQAPI
import JSON
import Text

/// The members of an object in an answer, with where it stands: every mistake is told by its path.
struct AnswerMembers {
    let object: JSONObject
    /// `report.meals[0]`; empty for the answer itself.
    let path: String

    func path(to name: String) -> String { path.isEmpty ? name : "\(path).\(name)" }

    func wrong(_ name: String, expected: String) -> AnswerError {
        .wrong(path: path(to: name), found: object[name]?.excerpt() ?? "missing", expected: expected)
    }

    /// Refuses members with other names: a misspelt one would be missed in silence.
    func allow(_ names: [String]) throws(AnswerError) {
        for (key, _) in object where !names.contains(key) {
            throw .unknown(path: path(to: key), nearest: NearestWord.find(key, among: names))
        }
    }

    func text(_ name: String) throws(AnswerError) -> String {
        guard let text = object[name]?.string else { throw wrong(name, expected: "a string") }
        return text
    }

    /// A string, or nil where there is none or null.
    func optionalText(_ name: String) throws(AnswerError) -> String? {
        switch object[name] {
        case nil, .null?: return nil
        case .string(let text)?: return text
        default: throw wrong(name, expected: "a string or null")
        }
    }

    func optionalInteger(_ name: String) throws(AnswerError) -> Int? {
        switch object[name] {
        case nil, .null?: return nil
        case let value?:
            guard let number = value.int else { throw wrong(name, expected: "a whole number or null") }
            return number
        }
    }

    func bool(_ name: String) throws(AnswerError) -> Bool {
        guard let value = object[name]?.bool else { throw wrong(name, expected: "true or false") }
        return value
    }

    /// One of the words of a type.
    func choice<Value: RawRepresentable<String> & CaseIterable>(
        _ name: String, _ type: Value.Type
    ) throws(AnswerError) -> Value {
        guard let value = object[name]?.string.flatMap(Value.init) else {
            let words = Value.allCases.map { "\"\($0.rawValue)\"" }
            throw wrong(name, expected: words.dropLast().joined(separator: ", ") + " or \(words.last ?? "")")
        }
        return value
    }

    func object(_ name: String, allowed: [String]) throws(AnswerError) -> AnswerMembers {
        guard let object = object[name]?.object else { throw wrong(name, expected: "an object") }
        let members = AnswerMembers(object: object, path: path(to: name))
        try members.allow(allowed)
        return members
    }

    /// The objects of an array; none where the member is left out.
    func objects(_ name: String, allowed: [String]) throws(AnswerError) -> [AnswerMembers] {
        guard let value = object[name] else { return [] }
        guard let elements = value.array else { throw wrong(name, expected: "an array") }
        var result: [AnswerMembers] = []
        for (index, element) in elements.enumerated() {
            let path = "\(path(to: name))[\(index)]"
            guard let object = element.object else {
                throw .wrong(path: path, found: element.excerpt(), expected: "an object")
            }
            let members = AnswerMembers(object: object, path: path)
            try members.allow(allowed)
            result.append(members)
        }
        return result
    }
}
