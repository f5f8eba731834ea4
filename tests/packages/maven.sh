# The Maven artifacts: a JDK, Maven, and a pom with the lines of the README.
# shellcheck shell=bash disable=SC2154
# shellcheck source=tests/packages/languages/common.sh
. "$here/languages/common.sh"
made maven
fresh bookworm openjdk-17-jdk-headless maven
readme=$root/bindings/java/README.md
project=$work/reader/project
mkdir -p "$project/src/main/java"
snippet "$readme" java | tee "$work/reader/Hello.java" >"$project/src/main/java/Hello.java"
cp "$here/languages/Train.java" "$project/src/main/java"
ln -s ../all-MiniLM-L6-v2 "$project/all-MiniLM-L6-v2"
pom() {  # pom [DEPENDENCY]
  printf '<project xmlns="http://maven.apache.org/POM/4.0.0">\n<modelVersion>4.0.0</modelVersion>\n'
  printf '<groupId>app</groupId>\n<artifactId>app</artifactId>\n<version>1</version>\n'
  snippet "$readme" xml | sed "s|</dependencies>|${1:-}</dependencies>|"
  printf '</project>\n'
}
pom >"$project/pom.xml"
chmod -R a+rwX "$work/reader"
# Maven downloads its plugins. If the network has its own certificates, this machine has them.
certificates=/etc/ssl/certs:/etc/ssl/certs:ro
mvn='cd project; mvn -B -q -ntp -Dstyle.color=never'

expect "the README's program" 0 "$readme_score" reader "$certificates" -- \
  "$mvn compile exec:java -Dexec.mainClass=Hello"
expect "again, from what is installed now" 0 "$readme_score" reader "$certificates" -- \
  "$mvn -o compile exec:java -Dexec.mainClass=Hello"
expect "without Maven" 0 "$readme_score" reader -- "$(snippet "$readme" '' 'Without Maven')"
expect "nothing stays in the folder for temporary files" 0 "0 left" reader -- \
  'echo "$(find /tmp -name "contrastive-*" | wc -l) left"'
refuses_to_train "training without its part" reader "$certificates" -- \
  "$mvn -o exec:java -Dexec.mainClass=Train"
pom "<dependency><groupId>io.contrastive</groupId><artifactId>contrastive</artifactId>
  <version>$version</version><classifier>linux-x86_64-torch</classifier></dependency>" \
  >"$project/pom.xml"
makes_a_step "training" reader "$certificates" "${with_libtorch[@]}" -- \
  "$name_libtorch $mvn compile exec:java -Dexec.mainClass=Train"
for artifact in contrastive:$version:jar:{sources,javadoc} \
  contrastive-{langchain4j,spring-ai,lucene}:$version; do
  expect "io.contrastive:$artifact" 0 "got" reader "$certificates" -- \
    "$mvn dependency:get -Dtransitive=false -Dartifact=io.contrastive:$artifact \
      -DremoteRepositories=contrastive::default::file:///srv/packages/maven; echo got"
done
