import Foundation
import Testing

@testable import Sockets

/// Passes the path of a pipe that contains some text, like the pipe that a shell creates for `<(command)`.
func lendPipe<Result>(_ text: String, _ body: (String) throws -> Result) throws -> Result {
    let bytes = Array(text.utf8)
    // Every pipe can buffer this text, so writing does not wait for a reader.
    try #require(bytes.count <= 4096)
    // The children of other tests must not inherit the writing end, or the text would never end.
    let pipe = try WakePipe()
    defer { close(pipe.reader) }
    // The reading end is like a shell's: inherited, and blocking until something arrives.
    let codes = [
        fcntl(pipe.reader, F_SETFL, fcntl(pipe.reader, F_GETFL) & ~O_NONBLOCK), fcntl(pipe.reader, F_SETFD, 0),
    ]
    let count = write(pipe.writer, bytes, bytes.count)
    close(pipe.writer)
    try #require(codes == [0, 0] && count == bytes.count)
    return try body("/dev/fd/\(pipe.reader)")
}
