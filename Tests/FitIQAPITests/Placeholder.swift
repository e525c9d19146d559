import Testing
@testable import FitIQAPI
