import Glibc
import Load

/// One answer of the server: which message of which consultation asked for it.
struct Answer {
    /// The subject of the token.
    let user: String
    /// The id that the server gave.
    let consultationID: String
    /// 0 for the first message on the consultation.
    let turn: Int
}

/// When the server means to send each chunk of `answers`, in microseconds from the arrival of the message.
///
/// The schedule is a pure function of the server's seed, so it can be asked for after the run: `command` reads one
/// line per answer, `USER CONSULTATION TURN`, and prints one line per answer with the offsets of its chunks,
/// separated by spaces. Without a command the schedule is unknown and this is nil: lateness is then not reported.
func expectedOffsets(of answers: [Answer], command: String?) throws -> [[UInt32]]? {
    guard let command else { return nil }
    let questions = try TemporaryFile(
        answers.map { "\($0.user) \($0.consultationID) \($0.turn)\n" }.joined())
    guard let output = popen("\(command) < \(questions.path)", "r") else { throw LoadError.lastCall("popen") }
    var text: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while case let count = fread(&chunk, 1, chunk.count, output), count > 0 { text += chunk[..<count] }
    guard pclose(output) == 0 else {
        throw LoadError.unexpected("a failure", wanted: "exit code 0", during: "--schedule \(command)")
    }
    let lines = text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).dropLast()
    guard lines.count == answers.count else {
        throw LoadError.unexpected(
            "\(lines.count) lines", wanted: "\(answers.count), one per answer", during: "--schedule \(command)")
    }
    return try lines.map { line in
        try line.split(separator: UInt8(ascii: " ")).map { field in
            guard let offset = UInt32(String(decoding: field, as: UTF8.self)) else {
                let got = String(decoding: line.prefix(100), as: UTF8.self)
                throw LoadError.unexpected(got, wanted: "microseconds", during: "--schedule \(command)")
            }
            return offset
        }
    }
}

/// A file that is gone when its owner is.
private final class TemporaryFile {
    let path: String

    init(_ text: String) throws {
        var template = Array("/tmp/stream-load-XXXXXX".utf8CString)
        let descriptor = mkstemp(&template)
        guard descriptor >= 0, let file = fdopen(descriptor, "w") else { throw LoadError.lastCall("mkstemp") }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let bytes = Array(text.utf8)
        let written = fwrite(bytes, 1, bytes.count, file)
        guard fclose(file) == 0, written == bytes.count else { throw LoadError.lastCall("write \(path)") }
    }

    deinit { unlink(path) }
}
