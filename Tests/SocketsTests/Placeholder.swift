import Testing
@testable import Sockets
