import Testing
@testable import MockServer
