import JSON
import Text
import Traffic

/// Replaces recorded values with the client's and recorded origins with ours.
///
/// Without replacements, the bytes are unchanged. It takes linear time in the length of the text.
struct Rewriter {
    let plan: ReplayPlan
    let bindings: Bindings
    /// The bindings of the message being answered, which take precedence over the others.
    var own: [Int: ExactString] = [:]
    /// `http://localhost:8080`, or `https://localhost:8443/w/abc`.
    let origin: String

    private struct Edit {
        var range: Range<Int>
        var text: String
    }

    func rewritten(_ fields: [SessionField]) -> [SessionField] {
        fields.map { SessionField($0.name, String(decoding: rewritten(Array($0.value.utf8)), as: UTF8.self)) }
    }

    func rewritten(_ bytes: [UInt8]) -> [UInt8] {
        guard !bytes.isEmpty, String(validating: bytes, as: UTF8.self) != nil else { return bytes }
        let edits = bytes.withUnsafeBufferPointer(edits)
        guard !edits.isEmpty else { return bytes }
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count + 64)
        var end = 0
        for edit in edits {
            output += bytes[end..<edit.range.lowerBound]
            output += edit.text.utf8
            end = edit.range.upperBound
        }
        output += bytes[end...]
        return output
    }

    private func edits(_ bytes: UnsafeBufferPointer<UInt8>) -> [Edit] {
        let origins = originEdits(bytes)
        guard !bindings.isEmpty || !own.isEmpty else { return origins }
        var edits: [Edit] = []
        var next = origins.startIndex
        var scanner = ValueScanner(bytes)
        while let found = scanner.next() {
            while next < origins.endIndex, origins[next].range.upperBound <= found.range.lowerBound {
                edits.append(origins[next])
                next += 1
            }
            if next < origins.endIndex, origins[next].range.overlaps(found.range) { continue }
            let text = ExactString(String(decoding: bytes[found.range], as: UTF8.self))
            if let number = plan.vocabulary.number(of: text), let actual = own[number] ?? bindings.actual[number] {
                edits.append(Edit(range: found.range, text: actual.text))
            }
        }
        return edits + origins[next...]
    }

    // MARK: Origins

    /// The positions of `http://host`, also written `http:\/\/host`, for a host of the session.
    private func originEdits(_ bytes: UnsafeBufferPointer<UInt8>) -> [Edit] {
        guard !plan.authorities.isEmpty else { return [] }
        let ourAuthority = afterScheme.dropFirst(3).lowercased()
        var edits: [Edit] = []
        var index = 0
        while index < bytes.count {
            guard bytes[index] == .colon, let slashes = slashes(bytes, at: index + 1) else {
                index += 1
                continue
            }
            let start = index + 1 + slashes
            var end = start
            while end < bytes.count, end - start <= 300,
                bytes[end].isWordCharacter || ".:[]".utf8.contains(bytes[end])
            {
                end += 1
            }
            let authority = String(decoding: bytes[start..<end], as: UTF8.self).lowercased()
            if let scheme = scheme(bytes, before: index), plan.authorities.contains(ExactString(authority)) {
                let authorityEnd = end
                end = worldEnd(bytes, at: end, isEscaped: slashes > 2)
                // Our own origin stays as it was written.
                if end == authorityEnd, ourAuthority.isExactly(authority) {
                    index = end
                    continue
                }
                let range = (index - scheme.utf8.count)..<end
                edits.append(Edit(range: range, text: ours(for: scheme, isEscaped: slashes > 2)))
            }
            index = end
        }
        return edits
    }

    private func slashes(_ bytes: UnsafeBufferPointer<UInt8>, at index: Int) -> Int? {
        let rest = bytes[index...]
        return rest.starts(with: "//".utf8) ? 2 : rest.starts(with: #"\/\/"#.utf8) ? 4 : nil
    }

    private func scheme(_ bytes: UnsafeBufferPointer<UInt8>, before index: Int) -> String? {
        var start = index
        while start > 0, index - start < 6, bytes[start - 1].isAlphanumeric { start -= 1 }
        let scheme = String(decoding: bytes[start..<index], as: UTF8.self).lowercased()
        return ["http", "https", "ws", "wss"].contains(scheme) ? scheme : nil
    }

    /// The end of `/w/{id}` after an authority: the recorded world, which ours replaces.
    private func worldEnd(_ bytes: UnsafeBufferPointer<UInt8>, at index: Int, isEscaped: Bool) -> Int {
        let slash = Array((isEscaped ? #"\/"# : "/").utf8)
        let prefix = slash + "w".utf8 + slash
        guard bytes[index...].starts(with: prefix) else { return index }
        var end = index + prefix.count
        while end < bytes.count, bytes[end].isWordCharacter { end += 1 }
        return end > index + prefix.count && bytes[end...].starts(with: slash) ? end : index
    }

    /// The rest of our origin from `://` on.
    private var afterScheme: Substring { origin.utf8.firstIndex(of: .colon).map { origin[$0...] } ?? "" }

    private func ours(for scheme: String, isEscaped: Bool) -> String {
        let isSecure = origin.hasPrefix("https") || origin.hasPrefix("wss")
        let ours = (scheme.hasPrefix("ws") ? "ws" : "http") + (isSecure ? "s" : "") + afterScheme
        return isEscaped ? ours.split(separator: "/", omittingEmptySubsequences: false).joined(separator: #"\/"#) : ours
    }
}
