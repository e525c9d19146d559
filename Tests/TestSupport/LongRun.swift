import Foundation

/// The longer test run, `scripts/test --long`.
package enum LongRun {
    /// Whether it was requested.
    package static let isAsked = ProcessInfo.processInfo.environment["FITIQ_MOCK_TEST_LONG"] != nil

    /// Returns the usual amount, or the larger amount in a long run.
    package static func choose<Amount>(_ usual: Amount, long: Amount) -> Amount { isAsked ? long : usual }
}
