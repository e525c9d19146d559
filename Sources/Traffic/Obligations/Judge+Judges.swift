extension Judge {
    /// The judges, in the order of the contract's table.
    static let judges: [any ObligationJudge.Type] = judgesBeforeSockets + socketJudges + judgesAfterSockets

    /// What comes before a socket is open: credentials, ids, requests, consultations.
    static let judgesBeforeSockets: [any ObligationJudge.Type] = [
        CredentialsOnEveryRequest.self, WebSocketCredentials.self, RefreshAfter401.self,
        LowercaseIDs.self, BackendGoalIDs.self, GoneNotReused.self,
        RequestShape.self,
        ConflictContinuesExisting.self, LimitStopsCreating.self, HistoryBeforeConnect.self,
    ]

    /// What the table has after the sockets: repeats, goals, meal logs.
    static let judgesAfterSockets: [any ObligationJudge.Type] = [
        RetryBackoff.self,
        ReusesConversation.self, LinksCreatedGoal.self,
        NoFetchAfterCompleted.self, NoPollWhileConnected.self, PollingCadence.self,
    ]
}
