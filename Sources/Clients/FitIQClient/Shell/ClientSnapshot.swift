/// What is known of a client at one moment, as it leaves the client's thread.
struct ClientSnapshot: Sendable {
    /// What its user sees.
    var state = ClientState()
    /// The ticket of the last command that was begun.
    var begun = 0
    /// How many problems there were so far, and the last of them.
    var problemCount = 0
    var problem: ClientState.Problem?
    /// What went wrong last on the network.
    var failure: ClientError?
    /// Whether this is the last there will be.
    var isClosed = false
}
