import Foundation
import Testing

@testable import Sockets

/// Lends the path of a pipe that holds a text, which is what a shell makes of `<(command)`.
func lendPipe<Result>(_ text: String, _ body: (String) throws -> Result) throws -> Result {
    let bytes = Array(text.utf8)
    // Every pipe has room for as many, so that writing waits for no reader.
    try #require(bytes.count <= 4096)
    // Children of other tests do not inherit the end for writing, with which they would keep the text from ending.
    let pipe = try WakePipe()
    defer { close(pipe.reader) }
    // The end for reading is as a shell leaves it: inherited, and read until something comes.
    let codes = [
        fcntl(pipe.reader, F_SETFL, fcntl(pipe.reader, F_GETFL) & ~O_NONBLOCK), fcntl(pipe.reader, F_SETFD, 0),
    ]
    let count = write(pipe.writer, bytes, bytes.count)
    close(pipe.writer)
    try #require(codes == [0, 0] && count == bytes.count)
    return try body("/dev/fd/\(pipe.reader)")
}
