import FitIQAPI
import FitIQBackend
import HTTP1

/// Accounts, profiles and preferences.
extension Engine {
    /// The answer of an endpoint that needs no bearer token, because it issues one.
    func signIn(_ endpoint: Endpoint, _ exchange: Exchange) throws(APIError) -> Answer {
        let (head, body, world) = (exchange.head, exchange.body, exchange.world)
        try world.authenticator.checkAPIKey(of: head.fields)
        defer { applyEffects(of: world, at: exchange.now) }
        world.backend.advance(&world.turn)
        try checkMediaType(head.fields, body)
        let secret = Array(world.settings.jwtSecret.utf8)
        switch endpoint {
        case .register:
            let request = try RegisterRequest(body: body, at: world.turn.now)
            let (tokens, profile) = try world.backend.register(request, &world.turn)
            return .created(tokens.body(registering: profile, signedWith: secret))
        case .logIn:
            return .ok(try world.backend.logIn(LogInRequest(body: body), &world.turn).body(signedWith: secret))
        case .refreshTokens:
            let token = try refreshToken(RefreshRequest(body: body), secret)
            return .ok(try world.backend.refresh(token, &world.turn).body(signedWith: secret, isFlat: true))
        case .logOut:
            if let request = try RefreshRequest(logout: body) {
                world.backend.revoke(try refreshToken(request, secret), &world.turn)
            }
            return .noContent
        default: preconditionFailure("\(endpoint.name) needs a bearer token.")
        }
    }

    /// Verifies a refresh token, except its time and whether it was used; 400 if it is not the world's.
    private func refreshToken(_ request: RefreshRequest, _ secret: [UInt8]) throws(APIError) -> AccessToken {
        do throws(AccessToken.Refusal) {
            let token = try AccessToken.verify(request.refreshToken, secret: AccessToken.refreshSecret(of: secret))
            guard token.id != nil else { throw .malformed("its claim 'jti' must be an id of this server") }
            return token
        } catch {
            throw .badRefreshToken(error)
        }
    }

    /// The answer about the user's own account.
    func accountAnswer(
        _ endpoint: Endpoint, by user: UserID, _ exchange: Exchange, _ backend: inout Backend, _ turn: inout Turn
    ) throws(APIError) -> Answer {
        let body = exchange.body
        if endpoint.method != .get { try checkMediaType(exchange.head.fields, body) }
        let now = turn.now
        func request() throws(APIError) -> ProfileRequest {
            try ProfileRequest(body: body, of: endpoint, at: now)
        }
        switch endpoint {
        case .showProfile: return .ok(backend.profile(of: user, at: turn.now))
        case .createProfile:
            return .created(try backend.createProfile(request(), of: user, &turn))
        case .updateProfile, .updatePhysicalProfile:
            return .ok(try backend.updateProfile(request(), of: user, &turn))
        case .showPreferences: return .ok(try backend.preferences(of: user))
        case .updatePreferences:
            return .ok(try backend.updatePreferences(PreferencesRequest(body: body), of: user, &turn))
        case .deletePreferences: try backend.deletePreferences(of: user)
        default: preconditionFailure("\(endpoint.name) is not about the user.")
        }
        return .noContent
    }
}
