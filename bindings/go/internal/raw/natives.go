package raw

import (
	"embed"
	"io/fs"
)

// Natives has the libraries that package natives embeds, PLATFORM/FILE. It is set before main
// begins.
var Natives fs.FS = embed.FS{}
