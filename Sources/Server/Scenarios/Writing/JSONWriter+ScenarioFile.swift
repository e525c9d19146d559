import FitIQAPI
import FitIQBackend
import JSON

/// What scenario files have and other JSON has not.
extension JSONWriter {
    /// Writes a list of objects, a line for each, which YAML allows and `diff` likes.
    mutating func lines<Element>(
        _ name: StaticString, _ elements: [Element], _ write: (inout JSONWriter, Element) -> Void
    ) {
        array(name) { writer in
            for element in elements {
                var line = JSONWriter(appendingTo: [UInt8(ascii: "\n")])
                line.object { write(&$0, element) }
                writer.raw(line.bytes)
            }
        }
    }

    /// Writes a list of objects as `lines` does, or nothing for an empty one.
    mutating func linesIfAny<Element>(
        _ name: StaticString, _ elements: [Element], _ write: (inout JSONWriter, Element) -> Void
    ) {
        if !elements.isEmpty { lines(name, elements, write) }
    }

    /// Writes a text of a rule, or nothing if there is none, so that YAML reads the same as JSON.
    ///
    /// A rule that a server lists is put into files that people write; what a world holds stands as it is stored.
    mutating func text(_ name: StaticString, _ text: String?) {
        guard let text else { return }
        guard text.unicodeScalars.contains(where: \.isEscapedInYAML) else { return member(name, text) }
        var plain = JSONWriter(reserving: text.utf8.count + 64)
        plain.value(text)
        var escaped = ""
        for scalar in String(decoding: plain.bytes, as: UTF8.self).unicodeScalars {
            if scalar.isEscapedInYAML {
                let digits = String(scalar.value, radix: 16)
                escaped += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            } else {
                escaped.unicodeScalars.append(scalar)
            }
        }
        member(name, raw: Array(escaped.utf8))
    }

    /// Writes a time to the nanosecond, or a duration before the world begins, or nothing.
    mutating func time(_ name: StaticString, _ time: DataTime?) {
        switch time {
        case nil: break
        case .at(let time): member(name, time.preciseText)
        case .before(let nanoseconds): member(name, "\(nanoseconds)ns ago")
        }
    }

    /// Writes grams with one digit after the point.
    mutating func member(_ name: StaticString, tenths: Int) {
        key(name)
        value(tenths, fractionDigits: 1)
    }
}

extension Unicode.Scalar {
    /// Whether JSON takes it as it is and YAML does not: what YAML calls not printable, and its further line breaks, which
    /// it would fold into spaces (YAML 1.1 §4.1 and §4.2, which libyaml follows).
    fileprivate var isEscapedInYAML: Bool {
        switch value {
        case 0x7F...0x9F, 0x2028, 0x2029, 0xFEFF, 0xFFFE, 0xFFFF: true
        default: false
        }
    }
}
