module contrastive.io/go

go 1.24
