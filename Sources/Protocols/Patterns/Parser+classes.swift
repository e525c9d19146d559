/// Classes and what follows a backslash.
extension Parser {
    enum Escape {
        case scalar(Unicode.Scalar)
        case name(ScalarClass.Name, isNegated: Bool)
        case place(Place)
    }

    /// Reads what follows a backslash, which has been read.
    mutating func escape(from start: Int) throws(PatternError) -> Escape {
        guard let scalar = next else { throw .trailingBackslash(at: start) }
        position += 1
        switch scalar {
        case "d": return .name(.digit, isNegated: false)
        case "D": return .name(.digit, isNegated: true)
        case "w": return .name(.word, isNegated: false)
        case "W": return .name(.word, isNegated: true)
        case "s": return .name(.space, isNegated: false)
        case "S": return .name(.space, isNegated: true)
        case "b": return .place(.wordBoundary)
        case "B": return .place(.insideOrOutsideOfWords)
        case "n": return .scalar("\n")
        case "r": return .scalar("\r")
        case "t": return .scalar("\t")
        case "1"..."9", "k": throw .backreference(scalar, at: start)
        case "0", "a"..."z", "A"..."Z": throw .unknownEscape(scalar, at: start)
        default: return .scalar(scalar)
        }
    }

    /// Reads a class whose bracket has been read.
    mutating func scalarClass(from start: Int) throws(PatternError) -> ScalarClass {
        var result = ScalarClass()
        result.isNegated = skip("^")
        let first = position
        while !skip("]") {
            guard next != nil else { throw .unclosedClass(at: start) }
            switch try member(of: start) {
            case .name(let name, let isNegated):
                result.names.append((name, isNegated))
                if next == "-", position + 1 < scalars.count, scalars[position + 1] != "]" {
                    throw .rangeOfClass(at: position)
                }
            case .scalar(let low): result.ranges.append(try range(from: low, of: start))
            case .place: preconditionFailure("A member of a class is no place.")
            }
        }
        guard position > first + 1 else { throw .emptyClass(at: start) }
        return result
    }

    private mutating func member(of start: Int) throws(PatternError) -> Escape {
        let position = position
        guard let scalar = next else { throw .unclosedClass(at: start) }
        self.position += 1
        switch scalar {
        case "[": throw .nestedClass(at: position)
        case "\\":
            let escape = try escape(from: position)
            if case .place = escape { throw .boundaryInClass(scalars[position + 1], at: position) }
            return escape
        default: return .scalar(scalar)
        }
    }

    /// The range that begins with a scalar: of that alone, unless a hyphen follows that is not the last.
    private mutating func range(
        from low: Unicode.Scalar, of start: Int
    ) throws(PatternError) -> ClosedRange<Unicode.Scalar> {
        let hyphen = position
        guard next == "-", hyphen + 1 < scalars.count, scalars[hyphen + 1] != "]" else { return low...low }
        position += 1
        guard case .scalar(let high) = try member(of: start) else { throw .rangeOfClass(at: hyphen) }
        guard low <= high else { throw .reversedRange(low, high, at: hyphen) }
        return low...high
    }
}
