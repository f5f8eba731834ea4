module contrastive.io/examples

go 1.24

require (
	contrastive.io/go v0.1.0
	github.com/mattn/go-sqlite3 v1.14.32
)

require github.com/ebitengine/purego v0.10.2 // indirect

// The binding of this repository; outside of it this line goes.
replace contrastive.io/go => ../../bindings/go
