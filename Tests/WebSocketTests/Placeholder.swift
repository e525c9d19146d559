import Testing
@testable import WebSocket
