import Proxy

extension SessionTap {
    /// Brings the recording that a program made to its end, and tells what is in it.
    func conclude(_ path: String, of program: String) throws(Failure) {
        let summary = finish(at: FitIQMock.now)
        switch summary.place {
        case .wanted:
            print(Messages.recorded(requests: summary.requests, sockets: summary.sockets, in: path))
            guard summary.isComplete else { throw .running(Messages.recordingIncomplete(path, program)) }
        case .beside(let other):
            print(Messages.recorded(requests: summary.requests, sockets: summary.sockets, in: other))
            throw .running(Messages.recordingDisplaced(path, other))
        case .gone: throw .running(Messages.recordingGone(path))
        }
    }
}
