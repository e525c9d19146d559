import Foundation

/// The longer of the two circles of tests: `scripts/test --long`.
package enum LongRun {
    /// Whether it was asked for.
    package static let isAsked = ProcessInfo.processInfo.environment["FITIQ_MOCK_TEST_LONG"] != nil

    /// What a test does in every run, and what it does in the longer one.
    package static func choose<Amount>(_ usual: Amount, long: Amount) -> Amount { isAsked ? long : usual }
}
