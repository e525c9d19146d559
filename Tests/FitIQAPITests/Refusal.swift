import JSON
import Testing

@testable import FitIQAPI

/// The API error that an attempt throws, or nil if the attempt succeeds.
func refusal<Success>(_ attempt: @autoclosure () throws -> Success) -> APIError? {
    do {
        _ = try attempt()
    } catch let error as APIError {
        return error
    } catch {
        Issue.record(error)
    }
    return nil
}

/// Bytes as text, so that failed comparisons print well.
func text(_ bytes: some Collection<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }

extension String { var bytes: [UInt8] { Array(utf8) } }

extension ResourceID {
    /// An id that differs in its last digits.
    static func numbered(_ number: UInt64) -> ResourceID { ResourceID(randomBits: 0, number) }
}

extension Timestamp {
    /// 2025-01-29T10:30:00Z, the guides' own example.
    static let example = Timestamp(secondsSinceEpoch: 1_738_146_600)
}
