#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The action for each input; a violated property ends the process by ``fail(_:)``.
private let targets: [(name: String, run: @Sendable ([UInt8]) -> Void)] = [
    ("http1", HTTPTarget.run), ("websocket", WebSocketTarget.run), ("json", TextTargets.json),
    ("yaml", TextTargets.yaml), ("url", TextTargets.url), ("meal", TextTargets.meal), ("pem", TextTargets.pem),
    ("har", TrafficTargets.har), ("journal", TrafficTargets.journal), ("scenario", TrafficTargets.scenario),
    ("mcp", MCPTarget.run),
]

/// The target that the environment names; libFuzzer has the command line and the `main`.
private let target: @Sendable ([UInt8]) -> Void = {
    let name = getenv("FUZZ_TARGET").map { String(cString: $0) }
    guard let target = targets.first(where: { $0.name == name }) else {
        fail("FUZZ_TARGET is one of \(targets.map(\.name).joined(separator: " "))")
    }
    return target.run
}()

@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    target(Array(UnsafeBufferPointer(start: data, count: count)))
    return 0
}

/// Ends the process, so that libFuzzer keeps the input.
func fail(_ message: String) -> Never {
    let line = Array("fuzz: \(message)\n".utf8)
    _ = write(STDERR_FILENO, line, line.count)
    abort()
}

/// Requires a property.
func require(_ holds: Bool, _ message: @autoclosure () -> String) { if !holds { fail(message()) } }

/// Requires that two ways give the same result.
func require<T: Equatable>(_ left: T, is right: T, _ what: String) {
    require(left == right, "\(what):\n\(left)\nis not\n\(right)")
}

/// The input whole, in single bytes, and split at places that its own bytes choose.
func splits(_ bytes: [UInt8]) -> [[ArraySlice<UInt8>]] {
    var cut: [ArraySlice<UInt8>] = []
    var rest = bytes[...]
    while let first = rest.first {
        cut.append(rest.prefix(Int(first % 37) + 1))
        rest = rest.dropFirst(Int(first % 37) + 1)
    }
    return [[bytes[...]], bytes.indices.map { bytes[$0...$0] }, cut]
}
