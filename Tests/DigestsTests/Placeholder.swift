import Testing
@testable import Digests
