// Package natives embeds the C library in a program that is built without cgo. Import it for this
// effect:
//
//	import _ "contrastive.io/go/natives"
//
// The published module has the libraries of the platforms that it was made for. The program then
// needs no other file. It writes the library into the user's cache folder when it starts for the
// first time. In the repository, and with cgo, the package is empty.
package natives
