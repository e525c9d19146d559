extension Judge {
    /// The judges of sockets, in the order of the contract's table.
    static let socketJudges: [any ObligationJudge.Type] = [
        SocketEndpoint.self, SingleConnection.self, WaitsForConnected.self, RefusedHandshake.self,
        MessageShape.self, NoSendWhileStreaming.self, KeepAlive.self, ReconnectBackoff.self, ReconnectLimit.self,
        NoReconnectAfterOwnClose.self, RecoversHistory.self, CloseHandshake.self,
    ]
}
