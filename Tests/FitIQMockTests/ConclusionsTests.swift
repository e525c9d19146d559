import Logging
import Testing

@testable import fitiq_mock

@Suite("A program's final steps")
struct ConclusionsTests {
    @Test("All final steps run even if one fails")
    func first() {
        var conclusions = Conclusions(Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() }))
        var done: [Int32] = []
        for code in [0, 3, 0, 1, 2] as [Int32] {
            let isWell = conclusions.add { () throws(Failure) in
                done.append(code)
                guard code == 0 else { throw Failure(message: "\(code)", exitCode: code) }
            }
            #expect(isWell == (code == 0))
        }
        #expect(done == [0, 3, 0, 1, 2])
        let failure = #expect(throws: Failure.self) { try conclusions.tell() }
        #expect(failure?.exitCode == 3)
    }

    @Test("Without a failure, the final steps throw no error")
    func none() throws {
        var conclusions = Conclusions(Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() }))
        conclusions.add {}
        try conclusions.tell()
    }
}
