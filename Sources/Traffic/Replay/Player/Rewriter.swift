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
        let isBound = !bindings.isEmpty || !own.isEmpty
        var edits: [Edit] = []
        var scanner = ValueScanner(bytes, origins: plan.origins)
        while let found = scanner.next() {
            guard isBound || found.kind == .origin else { continue }
            let text = String(decoding: bytes[found.range], as: UTF8.self)
            if found.kind == .origin {
                if let ours = ours(for: text) { edits.append(Edit(range: found.range, text: ours)) }
            } else if let number = plan.vocabulary.number(of: ExactString(text)),
                let actual = own[number] ?? bindings.actual[number]
            {
                edits.append(Edit(range: found.range, text: actual.text))
            }
        }
        return edits
    }

    /// The rest of our origin from `://` on.
    private var afterScheme: Substring { origin.utf8.firstIndex(of: .colon).map { origin[$0...] } ?? "" }

    /// Our origin in place of `http://host` or `http:\/\/host`; nil if it is ours already, which stays as written.
    private func ours(for recorded: String) -> String? {
        let isEscaped = recorded.utf8.contains(.backslash)
        let url = URLParts(isEscaped ? recorded.filter { $0 != "\\" } : recorded)
        let authority = (url.authority ?? "").lowercased()
        if url.path.isEmpty, afterScheme.dropFirst(3).lowercased().isExactly(authority) { return nil }
        let isSecure = origin.hasPrefix("https") || origin.hasPrefix("wss")
        let isSocket = url.scheme?.lowercased().hasPrefix("ws") == true
        let ours = (isSocket ? "ws" : "http") + (isSecure ? "s" : "") + afterScheme
        return isEscaped ? ours.split(separator: "/", omittingEmptySubsequences: false).joined(separator: #"\/"#) : ours
    }
}
