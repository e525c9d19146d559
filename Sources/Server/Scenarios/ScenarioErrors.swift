/// What is wrong with a scenario: every mistake that was found, in the order of the file.
public struct ScenarioErrors: Error, Equatable, Sendable {
    /// The file as it was named; nil for a scenario that came otherwise.
    public var file: String?
    /// The mistakes, at least one and at most ``ScenarioLimits/mistakes``.
    public var mistakes: [Mistake]
    /// How many more there are.
    public var omittedCount: Int

    /// Makes errors.
    public init(file: String? = nil, mistakes: [Mistake], omittedCount: Int = 0) {
        self.file = file
        self.mistakes = mistakes
        self.omittedCount = omittedCount
    }

    /// One mistake.
    public struct Mistake: Equatable, Sendable {
        /// The line, from 1; nil where there is no file.
        public var line: Int?
        /// The column, from 1, counted in Unicode scalars.
        public var column: Int?
        /// Where in the document: `faults[2].status`; empty for the document itself.
        public var path: String
        /// A sentence or two: what is wrong, what is allowed, what was probably meant.
        public var message: String

        /// Makes a mistake.
        public init(line: Int? = nil, column: Int? = nil, path: String, message: String) {
            self.line = line
            self.column = column
            self.path = path
            self.message = message
        }
    }
}

extension ScenarioErrors: CustomStringConvertible {
    /// A line for each mistake, `FILE:LINE:COLUMN: message`, as editors and compilers have it.
    public var description: String {
        var lines = mistakes.map { mistake in
            var parts: [String] = []
            if let file { parts.append(file) }
            if let line = mistake.line { parts.append("\(line)") }
            if let column = mistake.column { parts.append("\(column)") }
            return parts.isEmpty ? mistake.message : parts.joined(separator: ":") + ": " + mistake.message
        }
        if omittedCount > 0 { lines.append(Messages.omitted(omittedCount)) }
        return lines.joined(separator: "\n")
    }
}
