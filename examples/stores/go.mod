module contrastive.io/examples/stores

go 1.24.0

require (
	contrastive.io/go v0.1.0
	github.com/jackc/pgx/v5 v5.8.0
	github.com/pgvector/pgvector-go v0.3.0
)

require (
	github.com/ebitengine/purego v0.10.2 // indirect
	github.com/jackc/pgpassfile v1.0.0 // indirect
	github.com/jackc/pgservicefile v0.0.0-20240606120523-5a60cdf6a761 // indirect
	github.com/x448/float16 v0.8.4 // indirect
	golang.org/x/text v0.29.0 // indirect
)

// The binding of this repository; outside of it this line goes.
replace contrastive.io/go => ../../bindings/go
