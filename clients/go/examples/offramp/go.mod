module github.com/fairlead/fairlead/clients/go/v2/examples/offramp

go 1.25

require (
	github.com/BurntSushi/toml v1.3.2
	github.com/fairlead/fairlead/clients/go/v2 v2.0.0
	github.com/stellar/go-stellar-sdk v0.7.3
)

require (
	github.com/apapsch/go-jsonmerge/v2 v2.0.0 // indirect
	github.com/cenkalti/backoff/v4 v4.3.0 // indirect
	github.com/creachadair/jrpc2 v1.2.0 // indirect
	github.com/creachadair/mds v0.13.4 // indirect
	github.com/google/uuid v1.6.0 // indirect
	github.com/klauspost/compress v1.17.7 // indirect
	github.com/oapi-codegen/runtime v1.8.0 // indirect
	github.com/pkg/errors v0.9.1 // indirect
	github.com/stellar/go-xdr v0.0.0-20260806060815-dc590f17552a // indirect
	golang.org/x/exp v0.0.0-20240404231335-c0f41cb1a7a0 // indirect
	golang.org/x/sync v0.18.0 // indirect
)

replace github.com/fairlead/fairlead/clients/go/v2 => ../..
