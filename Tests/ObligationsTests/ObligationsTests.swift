import Testing

@testable import Obligations
