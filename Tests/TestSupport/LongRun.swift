import Foundation

/// The longer run of the tests: `scripts/test --long`.
package enum LongRun {
    /// Whether it was requested.
    package static let isAsked = ProcessInfo.processInfo.environment["FITIQ_MOCK_TEST_LONG"] != nil

    /// The amount for every run, or for the longer one.
    package static func choose<Amount>(_ usual: Amount, long: Amount) -> Amount { isAsked ? long : usual }
}
