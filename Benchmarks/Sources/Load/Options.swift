/// The `--name value` pairs of a command line.
public struct Options {
    private var values: [String: String] = [:]

    /// Reads pairs; refuses a name that is not in `known`, and lists those that are.
    public init(_ arguments: some Sequence<String>, known: [String]) throws {
        var iterator = arguments.makeIterator()
        while let argument = iterator.next() {
            guard known.contains(argument) else {
                throw LoadError.usage("unknown argument '\(argument)'; it takes \(known.joined(separator: ", "))")
            }
            guard let value = iterator.next() else { throw LoadError.usage("\(argument) needs a value") }
            values[argument] = value
        }
    }

    /// The text given for `name`, or nil.
    public subscript(name: String) -> String? { values[name] }

    /// The text given for `name`; throws if it is missing.
    public func required(_ name: String) throws -> String {
        guard let value = values[name] else { throw LoadError.usage("\(name) is missing") }
        return value
    }

    /// The number given for `name`, or `fallback`; throws if both are missing or the number is out of range.
    public func number<N: FixedWidthInteger>(_ name: String, default fallback: N? = nil) throws -> N {
        guard let text = values[name] else {
            if let fallback { return fallback }
            throw LoadError.usage("\(name) is missing")
        }
        guard let number = N(text) else {
            throw LoadError.usage("\(name) takes a whole number from \(N.min) to \(N.max), not '\(text)'")
        }
        return number
    }
}
