// Every suite needs the server.
@_exported import PostgreSQLSupport
