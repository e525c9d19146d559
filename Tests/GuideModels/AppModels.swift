import Foundation

/// The models of the two apps, FitIQ and Lume; a member that the app requires is not optional.
///
/// The keys are written out, so that a plain decoder can read them. Only dates need a decoding strategy.
package enum AppModels {
    package static let decoder = JSONDecoder.iso8601()

    /// The success envelope; `message` and `error`, if present, are text.
    package struct Answer<Content: Decodable>: Decodable {
        package let data: Content
        package let message, error: String?
    }

    /// The members that the apps read from every answer that is not 2xx.
    package struct Failure: Decodable { package let message: String }

    /// Two models of the same answer, because each app reads different parts of it.
    package struct Both<One: Decodable, Other: Decodable>: Decodable {
        package let one: One
        package let other: Other

        package init(from decoder: any Decoder) throws {
            one = try One(from: decoder)
            other = try Other(from: decoder)
        }
    }

    /// `POST /auth/register`, as FitIQ reads it: the time is text.
    package struct Registration: Decodable {
        package let userId: UUID
        package let email, name, createdAt, accessToken, refreshToken: String

        enum CodingKeys: String, CodingKey {
            case email, name
            case userId = "user_id", createdAt = "created_at", accessToken = "access_token"
            case refreshToken = "refresh_token"
        }
    }

    /// `POST /auth/login`.
    package struct Tokens: Decodable {
        package let accessToken, refreshToken: String

        enum CodingKeys: String, CodingKey { case accessToken = "access_token", refreshToken = "refresh_token" }
    }

    /// The whole body of `POST /auth/refresh`: one app reads `data`, and the other reads the top level.
    package struct Refreshed: Decodable {
        package let success: Bool
        package let data: Tokens
        package let accessToken, refreshToken: String

        enum CodingKeys: String, CodingKey {
            case success, data, accessToken = "access_token", refreshToken = "refresh_token"
        }
    }

    /// The claims of an access token, which the apps read from its second part.
    package struct Claims: Decodable {
        package let sub: UUID
        package let exp: Int
        package let email: String

        package init(token: String) throws {
            let parts = token.split(separator: ".", omittingEmptySubsequences: false)
            guard parts.count == 3 else { throw CocoaError(.coderInvalidValue) }
            let text = String(parts[1]).replacing("-", with: "+").replacing("_", with: "/")
            let padded = text + String(repeating: "=", count: (4 - text.count % 4) % 4)
            self = try JSONDecoder().decode(Claims.self, from: Data(base64Encoded: padded) ?? Data())
        }
    }

    package enum UnitSystem: String, Decodable, CaseIterable { case metric, imperial }

    /// `/users/me` with its profile as an object.
    package struct User: Decodable {
        package let id: UUID
        package let email: String
        package let profile: Profile
    }

    package struct Profile: Decodable {
        package let id: UUID
        package let name: String
        package let preferredUnitSystem: UnitSystem
        package let languageCode: String
        package let bio, dateOfBirth, biologicalSex: String?
        package let heightCm: Double?
        package let createdAt, updatedAt: Date?

        enum CodingKeys: String, CodingKey {
            case id, name, bio
            case preferredUnitSystem = "preferred_unit_system", languageCode = "language_code"
            case dateOfBirth = "date_of_birth", biologicalSex = "biological_sex", heightCm = "height_cm"
            case createdAt = "created_at", updatedAt = "updated_at"
        }
    }

    /// `/users/me` with the profile's members at the top level.
    package struct FlatUser: Decodable {
        package let userId: UUID
        package let name: String
        package let bio: String?
        package let preferredUnitSystem: UnitSystem
        package let languageCode: String
        package let dateOfBirth: String?
        package let createdAt, updatedAt: Date

        enum CodingKeys: String, CodingKey {
            case name, bio
            case userId = "user_id", preferredUnitSystem = "preferred_unit_system", languageCode = "language_code"
            case dateOfBirth = "date_of_birth", createdAt = "created_at", updatedAt = "updated_at"
        }
    }

    /// `/users/me/preferences`.
    package struct Preferences: Decodable {
        package let id, userProfileId: UUID
        package let allergies, dietaryRestrictions, foodDislikes: [String]
        package let createdAt, updatedAt: Date

        enum CodingKeys: String, CodingKey {
            case id, allergies
            case userProfileId = "user_profile_id", dietaryRestrictions = "dietary_restrictions"
            case foodDislikes = "food_dislikes", createdAt = "created_at", updatedAt = "updated_at"
        }
    }
}
