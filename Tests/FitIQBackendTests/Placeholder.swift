import Testing
@testable import FitIQBackend
